//! The child's side: sets its own limits, evaluates one script, and asks for calls over standard output.
//!
//! Runs in the process `noctui sandbox` and nowhere else: the language's own limits do not stop one big
//! allocation, the operating system's do. The script has no files, no network, no clock and no imports.

use std::{
    cell::{Cell, RefCell},
    io::{self, BufRead, Write},
    rc::Rc,
};

use rlimit::Resource;
use serde_json::{Map, Value as Json};
use starlark::{
    PrintHandler,
    collections::SmallMap,
    environment::{Globals, GlobalsBuilder, LibraryExtension, Module},
    eval::Evaluator,
    starlark_module,
    syntax::{AstModule, Dialect},
    values::{Heap, Value, dict::AllocDict, list::AllocList, list::UnpackList, none::NoneType},
};

use super::wire::{Call, FromChild, Reply, Start};

/// Functions that scripts expect and the language lacks.
const PRELUDE: &str = "
def sum(items, start = 0):
    total = start
    for item in items:
        total += item
    return total

def round(number, digits = 0):
    factor = 1
    for _ in range(digits):
        factor *= 10
    scaled = number * factor
    whole = int(scaled + 0.5) if scaled >= 0 else -int(0.5 - scaled)
    return whole if digits == 0 else whole / factor
";

/// Serves one script over standard input and output, then returns.
///
/// # Errors
/// When the limits can't be set or the keeper is gone; nothing was evaluated then, or nobody listens.
pub fn serve() -> io::Result<()> {
    let mut first = String::new();
    io::stdin().lock().read_line(&mut first)?;
    let start: Start = serde_json::from_str(&first)?;
    confine(&start)?;
    let ended = evaluate(&start);
    send(&ended)
}

fn confine(start: &Start) -> io::Result<()> {
    let limits = &start.limits;
    for (resource, limit) in [
        (Resource::AS, limits.memory),
        (Resource::CPU, limits.cpu_s),
        (Resource::CORE, 0),
        (Resource::FSIZE, 0),
        (Resource::NOFILE, 16),
    ] {
        resource.set(limit, limit)?;
    }
    Ok(())
}

fn send(message: &FromChild) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, message)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// What the script's functions share. The child runs one script, so one place for it is enough.
#[derive(Clone)]
struct Host {
    calls: Rc<Cell<u32>>,
    max_calls: u32,
    output: Rc<RefCell<String>>,
    max_output: usize,
}

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

fn host() -> anyhow::Result<Host> {
    HOST.with_borrow(|host| host.clone())
        .ok_or_else(|| anyhow::anyhow!("no host"))
}

impl Host {
    fn write(&self, text: &str) -> anyhow::Result<()> {
        let mut output = self.output.borrow_mut();
        if output.len() + text.len() > self.max_output {
            anyhow::bail!("more than {} bytes of output", self.max_output);
        }
        output.push_str(text);
        output.push('\n');
        Ok(())
    }

    fn call(&self, calls: Vec<Call>) -> anyhow::Result<Vec<Reply>> {
        let count = u32::try_from(calls.len()).unwrap_or(u32::MAX);
        self.calls.set(self.calls.get().saturating_add(count));
        if self.calls.get() > self.max_calls {
            anyhow::bail!("more than {} tool calls", self.max_calls);
        }
        if calls.is_empty() {
            return Ok(Vec::new());
        }
        send(&FromChild::Calls(calls))?;
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line)?;
        let replies: Vec<Reply> = serde_json::from_str(&line)?;
        if replies.len() != count as usize {
            anyhow::bail!("the answer does not fit the calls");
        }
        Ok(replies)
    }
}

impl PrintHandler for Host {
    fn println(&self, text: &str) -> starlark::Result<()> {
        Ok(self.write(text)?)
    }
}

fn named<'v>(kwargs: SmallMap<String, Value<'v>>) -> anyhow::Result<Map<String, Json>> {
    kwargs
        .into_iter()
        .map(|(name, value)| Ok((name, value.to_json_value()?)))
        .collect()
}

fn answered<'v>(heap: Heap<'v>, reply: Reply) -> Value<'v> {
    let pairs: Vec<(&str, Value<'v>)> = match reply {
        Reply::Value(value) => {
            vec![
                ("ok", Value::new_bool(true)),
                ("value", to_value(heap, &value)),
                ("error", Value::new_none()),
            ]
        }
        Reply::Error(error) => {
            vec![
                ("ok", Value::new_bool(false)),
                ("value", Value::new_none()),
                ("error", heap.alloc(error)),
            ]
        }
    };
    heap.alloc(AllocDict(pairs))
}

fn to_value<'v>(heap: Heap<'v>, json: &Json) -> Value<'v> {
    match json {
        Json::Null => Value::new_none(),
        Json::Bool(b) => Value::new_bool(*b),
        Json::Number(n) => match n.as_i64() {
            Some(whole) => heap.alloc(whole),
            None => heap.alloc(n.as_f64().unwrap_or(0.0)),
        },
        Json::String(text) => heap.alloc(text.as_str()),
        Json::Array(items) => heap.alloc(AllocList(items.iter().map(|item| to_value(heap, item)))),
        Json::Object(map) => {
            let pairs: Vec<(&str, Value<'v>)> = map
                .iter()
                .map(|(key, value)| (key.as_str(), to_value(heap, value)))
                .collect();
            heap.alloc(AllocDict(pairs))
        }
    }
}

#[starlark_module]
fn tools(builder: &mut GlobalsBuilder) {
    /// The result of a tool; the script fails when the tool does.
    fn call<'v>(
        #[starlark(require = pos)] tool: String,
        #[starlark(kwargs)] kwargs: SmallMap<String, Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let asked = Call {
            tool: tool.clone(),
            arguments: named(kwargs)?,
        };
        match host()?.call(vec![asked])?.pop() {
            Some(Reply::Value(value)) => Ok(to_value(eval.heap(), &value)),
            Some(Reply::Error(error)) => Err(anyhow::anyhow!("{tool}: {error}")),
            None => Err(anyhow::anyhow!("{tool}: no answer")),
        }
    }

    /// The result of a tool as {ok, value, error}.
    fn try_call<'v>(
        #[starlark(require = pos)] tool: String,
        #[starlark(kwargs)] kwargs: SmallMap<String, Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let asked = Call {
            tool,
            arguments: named(kwargs)?,
        };
        let reply = host()?
            .call(vec![asked])?
            .pop()
            .unwrap_or(Reply::Error("no answer".into()));
        Ok(answered(eval.heap(), reply))
    }

    /// Several calls side by side: a list of (tool, {arguments}), a list of {ok, value, error}.
    fn call_all<'v>(
        #[starlark(require = pos)] calls: UnpackList<(String, Value<'v>)>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let mut asked = Vec::new();
        for (tool, arguments) in calls.items {
            let Json::Object(arguments) = arguments.to_json_value()? else {
                anyhow::bail!("{tool}: the arguments must be a dict");
            };
            asked.push(Call { tool, arguments });
        }
        let replies = host()?.call(asked)?;
        let heap = eval.heap();
        let answers: Vec<Value<'v>> = replies.into_iter().map(|reply| answered(heap, reply)).collect();
        Ok(heap.alloc(AllocList(answers)))
    }

    /// Adds a value to the step's result.
    fn emit<'v>(#[starlark(require = pos)] value: Value<'v>) -> anyhow::Result<NoneType> {
        let text = match value.unpack_str() {
            Some(text) => text.to_owned(),
            None => value.to_json()?,
        };
        host()?.write(&text)?;
        Ok(NoneType)
    }
}

fn globals() -> Globals {
    GlobalsBuilder::extended_by(&[
        LibraryExtension::Json,
        LibraryExtension::Print,
        LibraryExtension::Map,
        LibraryExtension::Filter,
        LibraryExtension::StructType,
    ])
    .with(tools)
    .build()
}

fn evaluate(start: &Start) -> FromChild {
    let limits = &start.limits;
    let host = Host {
        calls: Rc::default(),
        max_calls: limits.calls,
        output: Rc::default(),
        max_output: limits.output,
    };
    HOST.set(Some(host.clone()));
    match run(start, &host) {
        Ok(()) => FromChild::Done(host.output.take()),
        Err(reason) => FromChild::Failed(reason),
    }
}

fn run(start: &Start, host: &Host) -> Result<(), String> {
    let dialect = Dialect {
        enable_f_strings: true,
        enable_top_level_stmt: true,
        enable_load: false,
        ..Dialect::Extended
    };
    let globals = globals();
    let words = |e: starlark::Error| e.to_string().chars().take(600).collect::<String>();
    let parse = |name: &str, source: &str| AstModule::parse(name, source.to_owned(), &dialect).map_err(words);
    let (prelude, script) = (parse("prelude", PRELUDE)?, parse("step", &start.source)?);
    Module::with_temp_heap(|module| {
        let heap = module.heap();
        let device = start
            .device
            .as_deref()
            .map_or_else(Value::new_none, |d| heap.alloc(d));
        module.set("device", device);
        module.set(
            "targets",
            heap.alloc(AllocList(start.targets.iter().map(String::as_str))),
        );
        let mut eval = Evaluator::new(&module);
        eval.set_print_handler(host);
        let limits = &start.limits;
        let limit = |e: starlark::Error| e.to_string();
        eval.set_max_callstack_size(limits.depth)
            .map_err(|e| limit(e.into()))?;
        eval.set_max_tick_count(limits.ticks)
            .map_err(|e| limit(e.into()))?;
        eval.set_max_heap_size(limits.heap).map_err(|e| limit(e.into()))?;
        eval.eval_module(prelude, &globals).map_err(words)?;
        let value = eval.eval_module(script, &globals).map_err(words)?;
        if !value.is_none() {
            let text = value.to_json().unwrap_or_else(|_| value.to_str());
            host.write(&text).map_err(|e| e.to_string())?;
        }
        Ok(())
    })
}
