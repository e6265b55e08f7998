//! Who talks to which model: puts providers and their decorators together and answers by role.
//!
//! From the inside out: provider, retries and breaker, tape, ledger. A provider's connections are shared by
//! its models, a model's breaker by its roles, the ledger by all.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    CassetteMode, ChatModel, Embedder, ErrorKind, Ledger, LlmError, Metered, ModelConfig, ModelRef, Price,
    PriceTable, Provider, Recorder, Redactor, Replayer, Resilient, Tape,
    cassette::{RecordedEmbedder, ReplayedEmbedder},
};

/// The models of a session, by role.
pub struct Roster {
    default: Option<Arc<dyn ChatModel>>,
    roles: BTreeMap<String, Arc<dyn ChatModel>>,
    embedder: Option<Arc<dyn Embedder>>,
    ledger: Ledger,
}

impl Roster {
    /// Builds every model the configuration names; no network is touched. `redactor` is applied to what a
    /// tape stores.
    ///
    /// # Errors
    /// `Config` when no model is chosen, a provider is unknown or badly set up, or a budget in dollars meets
    /// a model without a price; `Cassette` when the tape cannot be opened.
    pub fn assemble(config: &ModelConfig, redactor: Redactor) -> Result<Self, LlmError> {
        let mut assembly = Assembly::new(config, redactor)?;
        let wanted: BTreeSet<&ModelRef> = config.default.iter().chain(config.roles.values()).collect();
        let mut models: BTreeMap<&ModelRef, Arc<dyn ChatModel>> = BTreeMap::new();
        for model in wanted {
            models.insert(model, assembly.chat(model)?);
        }
        let default = match (&config.default, &assembly.tape) {
            (Some(model), _) => models.get(model).cloned(),
            (None, Some((CassetteMode::Replay, tape))) => {
                let replayer = Replayer::new("cassette/replay", Arc::clone(tape));
                Some(assembly.metered(Arc::new(replayer), Some(Price::FREE)))
            }
            (None, _) => None,
        };
        let roles: BTreeMap<String, Arc<dyn ChatModel>> = config
            .roles
            .iter()
            .filter_map(|(role, model)| Some((role.clone(), Arc::clone(models.get(model)?))))
            .collect();
        if default.is_none() && roles.is_empty() {
            let hint = "set model.default = \"provider/model\", for instance \"ollama/qwen3:8b\"";
            return Err(LlmError::new(
                ErrorKind::Config,
                "model",
                "no model is chosen",
                hint,
            ));
        }
        let embedder = config
            .embedding
            .as_ref()
            .map(|model| assembly.embedder(model))
            .transpose()?;
        Ok(Self {
            default,
            roles,
            embedder,
            ledger: assembly.ledger,
        })
    }

    /// A roster of one model for every role, as for tests and for callers that build their own.
    pub fn single(model: Arc<dyn ChatModel>, ledger: Ledger) -> Self {
        let metered = Metered::new(model, ledger.clone(), Some(Price::FREE));
        Self {
            default: Some(Arc::new(metered)),
            roles: BTreeMap::new(),
            embedder: None,
            ledger,
        }
    }

    /// The model of `role`.
    ///
    /// # Errors
    /// `Config` when neither the role nor a default names one.
    pub fn model(&self, role: &str) -> Result<Arc<dyn ChatModel>, LlmError> {
        self.roles
            .get(role)
            .or(self.default.as_ref())
            .cloned()
            .ok_or_else(|| {
                let hint = format!("set model.default or model.roles.{role}");
                LlmError::new(
                    ErrorKind::Config,
                    "model",
                    format!("no model is chosen for the {role}"),
                    hint,
                )
            })
    }

    pub fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        self.embedder.clone()
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

struct Assembly<'a> {
    config: &'a ModelConfig,
    prices: PriceTable,
    ledger: Ledger,
    tape: Option<(CassetteMode, Arc<Tape>)>,
    providers: BTreeMap<String, Provider>,
}

impl<'a> Assembly<'a> {
    fn new(config: &'a ModelConfig, redactor: Redactor) -> Result<Self, LlmError> {
        let cassette = &config.cassette;
        let file = cassette.file.as_deref().ok_or_else(|| {
            LlmError::new(
                ErrorKind::Config,
                "cassette",
                "no file is given",
                "set model.cassette.file",
            )
        });
        let tape = match cassette.mode {
            CassetteMode::Off => None,
            CassetteMode::Record => Some(Tape::record(file?, redactor)?),
            CassetteMode::Replay => Some(Tape::replay(file?, redactor, cassette.matching)?),
        };
        Ok(Self {
            config,
            prices: PriceTable::load(&config.prices)?,
            ledger: Ledger::new(config.budget),
            tape: tape.map(|tape| (cassette.mode, Arc::new(tape))),
            providers: BTreeMap::new(),
        })
    }

    fn chat(&mut self, model: &ModelRef) -> Result<Arc<dyn ChatModel>, LlmError> {
        if let Some((CassetteMode::Replay, tape)) = &self.tape {
            let price = self.prices.price(model);
            return Ok(self.metered(
                Arc::new(Replayer::new(model.to_string(), Arc::clone(tape))),
                price,
            ));
        }
        let provider = self.provider(model)?;
        let price = if provider.is_free() {
            Some(Price::FREE)
        } else {
            self.prices.price(model)
        };
        if self.config.budget.usd.is_some() && price.is_none() {
            let hint = format!("add model.prices.\"{model}\", or limit tokens instead");
            let what = "a budget in dollars cannot be kept: the price is unknown";
            return Err(LlmError::new(ErrorKind::Config, model.to_string(), what, hint));
        }
        let mut chat: Arc<dyn ChatModel> = Arc::new(Resilient::new(Arc::new(provider), self.config.retry));
        if let Some((CassetteMode::Record, tape)) = &self.tape {
            chat = Arc::new(Recorder::new(chat, Arc::clone(tape)));
        }
        Ok(self.metered(chat, price))
    }

    fn embedder(&mut self, model: &ModelRef) -> Result<Arc<dyn Embedder>, LlmError> {
        if let Some((CassetteMode::Replay, tape)) = &self.tape {
            return Ok(Arc::new(ReplayedEmbedder {
                name: model.to_string(),
                tape: Arc::clone(tape),
            }));
        }
        let inner: Arc<dyn Embedder> = Arc::new(self.provider(model)?);
        Ok(match &self.tape {
            Some((CassetteMode::Record, tape)) => Arc::new(RecordedEmbedder {
                inner,
                tape: Arc::clone(tape),
            }),
            _ => inner,
        })
    }

    fn metered(&self, chat: Arc<dyn ChatModel>, price: Option<Price>) -> Arc<dyn ChatModel> {
        Arc::new(Metered::new(chat, self.ledger.clone(), price))
    }

    fn provider(&mut self, model: &ModelRef) -> Result<Provider, LlmError> {
        if let Some(known) = self.providers.get(&model.provider) {
            return Ok(known.sibling(model));
        }
        let provider = Provider::new(
            model,
            self.config.provider(&model.provider)?,
            self.config.timeouts,
        )?;
        let sibling = provider.sibling(model);
        self.providers.insert(model.provider.clone(), provider);
        Ok(sibling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assemble(text: &str) -> Result<Roster, LlmError> {
        Roster::assemble(&toml::from_str(text).unwrap(), Arc::new(str::to_owned))
    }

    #[test]
    fn roles_have_their_own_models_and_the_rest_the_default() {
        let roster =
            assemble("default = 'ollama/qwen3:8b'\n[roles]\ncritic = 'anthropic/claude-haiku-4-5'").unwrap();
        assert_eq!(
            roster.model("critic").unwrap().name(),
            "anthropic/claude-haiku-4-5"
        );
        assert_eq!(roster.model("planner").unwrap().name(), "ollama/qwen3:8b");
        let only = assemble("[roles]\ncritic = 'ollama/x'").unwrap();
        assert_eq!(only.model("planner").err().unwrap().kind, ErrorKind::Config);
    }

    #[test]
    fn what_cannot_work_is_refused_at_once() {
        assert!(assemble("").err().unwrap().hint.contains("ollama/"));
        assert!(
            assemble("default = 'nowhere/x'")
                .err()
                .unwrap()
                .message
                .contains("no provider")
        );
        let e = assemble("default = 'openai/unheard-of'\n[budget]\nusd = 1.0")
            .err()
            .unwrap();
        assert!(e.message.contains("price is unknown"), "{e}");
        assert!(
            assemble("default = 'ollama/unheard-of'\n[budget]\nusd = 1.0").is_ok(),
            "a free one is priced"
        );
        let e = assemble("default = 'ollama/x'\n[cassette]\nmode = 'replay'")
            .err()
            .unwrap();
        assert!(e.message.contains("no file"), "{e}");
    }
}
