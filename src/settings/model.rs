//! The `[model]` section: which language model is asked, how, and for how much.
//!
//! It holds no key: only where a key comes from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sections::OpenTable;

/// The language model.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The API that is spoken.
    pub provider: Provider,
    /// Where the API begins, e.g. `https://api.openai.com/v1`.
    pub base_url: String,
    /// Name of the model.
    pub model: String,
    /// Environment variable that holds the key.
    pub key_env: String,
    /// File that holds the key (its first line).
    pub key_file: String,
    /// Command that prints the key.
    pub key_command: String,
    /// CA bundle in PEM; empty means the system's roots.
    pub ca_file: String,
    /// Proxy URL; empty means the usual variables.
    pub proxy: String,
    /// Longest answer, in tokens.
    #[schemars(range(min = 16))]
    pub max_output_tokens: u32,
    /// 0 is the most repeatable.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: f64,
    /// Retries of a request that failed on the wire.
    #[schemars(range(max = 10))]
    pub max_retries: u32,
    /// More request headers; `${NAME}` is taken from the environment.
    pub headers: OpenTable,
    /// A model per role.
    pub roles: Roles,
    /// How long a request may take.
    pub timeouts: ModelTimeouts,
    /// What a session may spend.
    pub budget: Budget,
}

/// The API that is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// Chat completions, as OpenAI and all compatible servers speak it.
    #[serde(rename = "openai")]
    OpenAi,
    /// The Messages API.
    Anthropic,
}

/// A model per role; a missing one takes the common model.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Roles {
    /// Writes plans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planner: Option<String>,
    /// Criticises plans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critic: Option<String>,
    /// Chooses tools and arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
    /// Judges plans beside the critic, from one side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub specialist: Option<String>,
    /// Says whether the objective is met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assessor: Option<String>,
    /// Writes the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reporter: Option<String>,
    /// Turns texts into vectors; without one nothing is embedded by a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<String>,
}

/// How long a request may take, in seconds.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelTimeouts {
    /// Until connected.
    #[schemars(range(min = 1))]
    pub connect_s: u64,
    /// Until the first piece of the answer.
    #[schemars(range(min = 1))]
    pub first_token_s: u64,
    /// Between two pieces.
    #[schemars(range(min = 1))]
    pub idle_s: u64,
    /// Altogether.
    #[schemars(range(min = 1))]
    pub total_s: u64,
}

/// What a session may spend; 0 is no limit.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Tokens in and out.
    pub tokens: u64,
    /// US dollars, by the price table.
    #[schemars(range(min = 0.0))]
    pub cost_usd: f64,
    /// Requests.
    pub calls: u64,
    /// Seconds.
    pub seconds: u64,
}
