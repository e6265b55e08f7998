//! Paths, wildcards, data kinds, and that nothing off the path is computed.

use super::*;
use crate::proto::path;

fn sample(w: &mut Writer<'_>) {
    w.container("openconfig-a:top", |w| {
        for name in ["x", "y"] {
            w.entry("item", &[("name", Leaf::from(name))], |w| {
                w.pair(|w| w.leaf("name", name), |w| w.leaf("count", 7_u64));
                w.container("openconfig-b:extra", |w| {
                    w.container("state", |w| w.leaf("on", true))
                });
            });
        }
    });
    w.container("openconfig-c:other", |w| {
        w.entry("p", &[("id", Leaf::Ident("openconfig-t:BGP"))], |w| {
            w.container("state", |w| w.leaf("v", 1_u32));
        });
    });
}

fn ask(text: &str, kind: DataKind) -> Vec<String> {
    let query = path::parse(text).unwrap();
    Writer::new(&query.elem, kind)
        .write(sample)
        .into_iter()
        .map(|found| {
            let at = crate::proto::gnmi::Path {
                elem: found.path,
                ..Default::default()
            };
            let shape = match found.node {
                Node::Leaf(leaf) => format!("={}", leaf.key_text()),
                Node::Container(children) => {
                    format!(
                        " {:?}",
                        children.iter().map(|(name, _)| *name).collect::<Vec<_>>()
                    )
                }
                Node::List(_) => "list".into(),
            };
            path::print(&at) + &shape
        })
        .collect()
}

#[test]
fn a_path_leads_to_what_it_names() {
    assert_eq!(
        ask("top/item[name=x]/state/count", DataKind::All),
        ["/top/item[name=x]/state/count=7"]
    );
    assert_eq!(
        ask("openconfig-a:top/item[name=*]/state", DataKind::All),
        [
            "/top/item[name=x]/state [\"name\", \"count\"]",
            "/top/item[name=y]/state [\"name\", \"count\"]"
        ]
    );
    assert_eq!(
        ask("top/item/name", DataKind::All),
        ["/top/item[name=x]/name=x", "/top/item[name=y]/name=y"]
    );
    assert_eq!(ask("openconfig-z:top", DataKind::All), Vec::<String>::new());
    assert_eq!(ask("top/item[wrong=x]", DataKind::All), Vec::<String>::new());
    assert_eq!(ask("top/item[wrong=*]/state/count", DataKind::All).len(), 2);
}

#[test]
fn wildcards_of_one_and_of_any_depth() {
    assert_eq!(ask(".../on", DataKind::All).len(), 2);
    assert_eq!(ask("top/.../count", DataKind::All).len(), 2);
    assert_eq!(ask("*/p/state/v", DataKind::All), ["/other/p[id=BGP]/state/v=1"]);
    assert_eq!(ask("top/...", DataKind::All), ask("top", DataKind::All));
    assert_eq!(
        ask("/", DataKind::All),
        ["/ [\"openconfig-a:top\", \"openconfig-c:other\"]"]
    );
}

#[test]
fn identity_keys_match_with_and_without_module() {
    assert_eq!(ask("other/p[id=BGP]/state/v", DataKind::All).len(), 1);
    assert_eq!(
        ask("other/p[id=openconfig-t:BGP]/state/v", DataKind::All).len(),
        1
    );
    assert_eq!(
        ask("other/p[id=openconfig-x:BGP]/state/v", DataKind::All).len(),
        0
    );
}

#[test]
fn the_data_kind_prunes() {
    assert_eq!(
        ask("top/item[name=x]", DataKind::Config),
        ["/top/item[name=x] [\"name\", \"config\"]"]
    );
    assert_eq!(
        ask("top/item[name=x]", DataKind::State),
        ["/top/item[name=x] [\"name\", \"state\", \"openconfig-b:extra\"]"]
    );
    assert_eq!(
        ask("top/item[name=x]/state", DataKind::Operational),
        ["/top/item[name=x]/state [\"count\"]"]
    );
    // An entry that keeps nothing but its keys is not configuration.
    assert_eq!(ask("other", DataKind::Config), Vec::<String>::new());
}

#[test]
fn what_is_off_the_path_is_never_computed() {
    let query = path::parse("a/b").unwrap();
    let mut ran = 0;
    Writer::new(&query.elem, DataKind::All).write(|w| {
        w.container("openconfig-a:a", |w| w.container("b", |w| w.leaf("x", 1_u8)));
        w.container("openconfig-a:c", |_| ran += 1);
    });
    assert_eq!(ran, 0);
}
