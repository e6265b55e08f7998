//! Every tool of every server as a capability, found by id, words, category and tag.
//!
//! The registry follows the hub: it is rebuilt when a tool list changes. Two servers with the same tool do
//! not collide, because ids are `server.tool`. It offers everything; the profile filters.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use jsonschema::Validator;
use rmcp::model::Tool;

use super::capability::Capability;
use super::purpose::words;
use super::risk::Trust;
use crate::agent::model::{Purpose, Risk};

/// A server's tools as the hub lists them.
pub struct Listing {
    /// Server by name.
    pub server: String,
    /// Name and version from its handshake.
    pub version: Option<String>,
    /// Its tools.
    pub tools: Arc<Vec<Tool>>,
}

/// A capability with its compiled schemas.
#[derive(Debug)]
pub struct Entry {
    /// The capability.
    pub capability: Arc<Capability>,
    input: OnceLock<Option<Validator>>,
    output: OnceLock<Option<Validator>>,
}

impl Entry {
    /// The check of the arguments; `None` when the server's schema is itself broken.
    pub fn input(&self) -> Option<&Validator> {
        self.input
            .get_or_init(|| jsonschema::validator_for(&self.capability.input_schema).ok())
            .as_ref()
    }

    /// The check of the structured result; `None` without a usable schema.
    pub fn output(&self) -> Option<&Validator> {
        let compile = || jsonschema::validator_for(self.capability.output_schema.as_deref()?).ok();
        self.output.get_or_init(compile).as_ref()
    }
}

type Entries = BTreeMap<String, Arc<Entry>>;

/// What to look for.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Words, matched against name, tags and description; empty finds everything.
    pub text: String,
    /// Only this category.
    pub category: Option<Purpose>,
    /// Only with this tag.
    pub tag: Option<String>,
    /// Leave out what can interrupt service.
    pub exclude_dangerous: bool,
    /// At most so many; 0 is no limit.
    pub max_results: usize,
}

/// A capability that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// Which.
    pub capability: Arc<Capability>,
    /// How well it fits, for ordering; 0 without words.
    pub score: f64,
}

/// All capabilities.
#[derive(Debug, Default)]
pub struct Registry {
    entries: RwLock<Arc<Entries>>,
}

impl Registry {
    /// Rebuilds from the hub's listings. Unchanged tools keep their compiled schemas.
    pub fn refresh(&self, listings: &[Listing], trust: &[Trust], cache_ttl: Duration) {
        let before = self.entries();
        let mut after = Entries::new();
        for listing in listings {
            for tool in listing.tools.iter() {
                let capability =
                    Capability::new(&listing.server, listing.version.clone(), tool, trust, cache_ttl);
                let id = capability.id.clone();
                let same = before
                    .get(&id)
                    .filter(|entry| is_same(&entry.capability, &capability))
                    .cloned();
                let fresh = || Entry {
                    capability: Arc::new(capability),
                    input: OnceLock::new(),
                    output: OnceLock::new(),
                };
                // The first of two tools with one name on one server stays.
                after
                    .entry(id)
                    .or_insert_with(|| same.unwrap_or_else(|| Arc::new(fresh())));
            }
        }
        *self.entries.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(after);
    }

    fn entries(&self) -> Arc<Entries> {
        Arc::clone(&self.entries.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A capability by `server.tool`.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<Arc<Entry>> {
        self.entries().get(id).cloned()
    }

    /// All capabilities, by id.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Capability>> {
        self.entries()
            .values()
            .map(|entry| Arc::clone(&entry.capability))
            .collect()
    }

    /// The ids most like this one, best first.
    #[must_use]
    pub fn nearest(&self, id: &str) -> Vec<String> {
        let name = id.rsplit_once('.').map_or(id, |(_, name)| name);
        let mut scored: Vec<(f64, String)> = self
            .entries()
            .values()
            .map(|entry| {
                let capability = &entry.capability;
                let by_name = strsim::jaro_winkler(&capability.name, name);
                (
                    by_name.max(strsim::jaro_winkler(&capability.id, id)),
                    capability.id.clone(),
                )
            })
            .filter(|(score, _)| *score > 0.7)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        scored.into_iter().take(3).map(|(_, id)| id).collect()
    }

    /// Capabilities that fit, best first.
    #[must_use]
    pub fn find(&self, search: &Search) -> Vec<Found> {
        let entries = self.entries();
        let wanted = words(&search.text);
        let weights = rarity(&entries, &wanted);
        let mut found: Vec<Found> = entries
            .values()
            .map(|entry| &entry.capability)
            .filter(|c| search.category.is_none_or(|category| c.purpose == category))
            .filter(|c| {
                search
                    .tag
                    .as_ref()
                    .is_none_or(|tag| c.tags.iter().any(|t| t.eq_ignore_ascii_case(tag)))
            })
            .filter(|c| !(search.exclude_dangerous && c.judgement.risk == Risk::Dangerous))
            .map(|c| Found {
                capability: Arc::clone(c),
                score: score(c, &wanted, &weights),
            })
            .filter(|hit| wanted.is_empty() || hit.score > 0.0)
            .collect();
        found.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.capability.id.cmp(&b.capability.id))
        });
        if search.max_results > 0 {
            found.truncate(search.max_results);
        }
        found
    }
}

fn is_same(a: &Capability, b: &Capability) -> bool {
    a.input_schema == b.input_schema
        && a.output_schema == b.output_schema
        && a.description == b.description
        && a.judgement == b.judgement
        && a.version == b.version
        && a.budget == b.budget
}

/// How telling each wanted word is: the fewer capabilities have it, the more.
fn rarity(entries: &Entries, wanted: &[String]) -> Vec<f64> {
    let all = entries.len().max(1) as f64;
    wanted
        .iter()
        .map(|word| {
            let having = entries
                .values()
                .filter(|entry| match_of(&entry.capability, word) > 0.0)
                .count();
            (1.0 + all / (1.0 + having as f64)).ln()
        })
        .collect()
}

fn score(capability: &Capability, wanted: &[String], weights: &[f64]) -> f64 {
    wanted
        .iter()
        .zip(weights)
        .map(|(word, weight)| weight * match_of(capability, word))
        .sum()
}

/// How strongly a capability has a word: in its name or tags, else in its description.
fn match_of(capability: &Capability, word: &str) -> f64 {
    let in_words = |text: &str, full: f64, part: f64| {
        words(text)
            .iter()
            .map(|w| match_of_word(w, word, full, part))
            .fold(0.0, f64::max)
    };
    let tagged = capability
        .tags
        .iter()
        .map(|tag| match_of_word(tag, word, 3.0, 1.5))
        .fold(0.0, f64::max);
    let served = if capability.server.eq_ignore_ascii_case(word) {
        1.0
    } else {
        0.0
    };
    tagged.max(in_words(&capability.name, 4.0, 2.0)) + served + in_words(&capability.description, 1.0, 0.5)
}

fn match_of_word(have: &str, want: &str, full: f64, part: f64) -> f64 {
    let stem = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
    if have == want || stem(have) == stem(want) {
        full
    } else if want.len() >= 3 && have.starts_with(want) {
        part
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn listing(server: &str, tools: &[(&'static str, &'static str)]) -> Listing {
        let schema = json!({"type": "object", "properties": {"device_name": {"type": "string"}}});
        let tools = tools
            .iter()
            .map(|(name, about)| Tool::new(*name, *about, schema.as_object().unwrap().clone()))
            .collect();
        Listing {
            server: server.to_owned(),
            version: None,
            tools: Arc::new(tools),
        }
    }

    fn registry() -> Registry {
        let registry = Registry::default();
        let listings = [
            listing(
                "gnmibuddy",
                &[
                    ("get_logs", "Log lines of a device"),
                    ("get_routing_info", "BGP and IS-IS sessions of a device"),
                ],
            ),
            listing(
                "other",
                &[
                    ("get_logs", "Logs of a host"),
                    ("delete_device", "Remove a device"),
                ],
            ),
        ];
        registry.refresh(&listings, &Trust::shipped(), Duration::from_secs(15));
        registry
    }

    fn ids(found: &[Found]) -> Vec<&str> {
        found.iter().map(|hit| hit.capability.id.as_str()).collect()
    }

    #[test]
    fn the_same_name_on_two_servers_is_two_capabilities() {
        let registry = registry();
        assert_eq!(registry.all().len(), 4);
        assert_eq!(
            registry
                .get("gnmibuddy.get_logs")
                .unwrap()
                .capability
                .judgement
                .risk,
            Risk::ReadOnly
        );
        assert_eq!(
            registry.get("other.get_logs").unwrap().capability.judgement.risk,
            Risk::ChangesState
        );
    }

    #[test]
    fn search_by_words_category_tag_and_danger() {
        let registry = registry();
        let text = |text: &str| Search {
            text: text.to_owned(),
            ..Search::default()
        };
        assert_eq!(
            ids(&registry.find(&text("bgp sessions")))[0],
            "gnmibuddy.get_routing_info"
        );
        assert_eq!(registry.find(&text("log")).len(), 2);
        assert_eq!(registry.find(&text("quantum")).len(), 0);
        assert_eq!(registry.find(&Search::default()).len(), 4);
        let safe = Search {
            exclude_dangerous: true,
            ..Search::default()
        };
        assert!(!ids(&registry.find(&safe)).contains(&"other.delete_device"));
        let logs = Search {
            category: Some(Purpose::Logs),
            max_results: 1,
            ..Search::default()
        };
        assert_eq!(registry.find(&logs).len(), 1);
        let tagged = Search {
            tag: Some("Routing".to_owned()),
            ..Search::default()
        };
        assert_eq!(ids(&registry.find(&tagged)), ["gnmibuddy.get_routing_info"]);
    }

    #[test]
    fn a_changed_list_replaces_the_old_one_and_keeps_compiled_schemas() {
        let registry = registry();
        let before = registry.get("gnmibuddy.get_logs").unwrap();
        let listings = [listing(
            "gnmibuddy",
            &[("get_logs", "Log lines of a device"), ("get_new", "New")],
        )];
        registry.refresh(&listings, &Trust::shipped(), Duration::from_secs(15));
        assert!(Arc::ptr_eq(&before, &registry.get("gnmibuddy.get_logs").unwrap()));
        assert_eq!(registry.all().len(), 2);
        assert_eq!(registry.nearest("gnmibuddy.get_log")[0], "gnmibuddy.get_logs");
    }

    #[test]
    fn the_tools_of_a_real_gnmibuddy_are_all_readable_and_understood() {
        let shared = std::env::var_os("NOCTUI_SHARED").map(std::path::PathBuf::from);
        let folder =
            shared.unwrap_or_else(|| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
        let Ok(text) = std::fs::read_to_string(folder.join("gnmibuddy/tools.json")) else {
            println!("skipped: no recorded tool list here");
            return;
        };
        let recorded: serde_json::Value = serde_json::from_str(&text).unwrap();
        let list = &recorded["tools_list"];
        let list = list.get("tools").unwrap_or(list);
        let tools: Vec<Tool> = serde_json::from_value(list.clone()).unwrap();
        let registry = Registry::default();
        let listing = Listing {
            server: "gnmibuddy".to_owned(),
            version: None,
            tools: Arc::new(tools),
        };
        registry.refresh(&[listing], &Trust::shipped(), Duration::ZERO);
        let all = registry.all();
        assert_eq!(all.len(), 10);
        for capability in &all {
            assert_eq!(capability.judgement.risk, Risk::ReadOnly, "{}", capability.id);
            assert!(registry.get(&capability.id).unwrap().input().is_some());
            let known = capability.purpose != Purpose::Other;
            assert!(
                known || capability.name == "get_topology_neighbors",
                "{}",
                capability.id
            );
        }
    }
}
