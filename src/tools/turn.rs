//! One call on the hub, with its progress and its questions passed to the call's context meanwhile.

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use rmcp::model::CallToolResult;
use tokio::sync::mpsc;

use std::time::Duration;

use super::failure::Failure;
use super::hub::{Hub, HubCall, Progress};
use super::registry::Entry;
use crate::agent::model::ToolCall;
use crate::agent::ports::CallContext;

/// What to call.
pub(super) struct Turn<'a> {
    pub(super) entry: &'a Entry,
    pub(super) call: &'a ToolCall,
    pub(super) timeout: Duration,
}

/// Makes the call.
pub(super) async fn take(
    hub: &Hub,
    turn: Turn<'_>,
    context: &dyn CallContext,
) -> Result<CallToolResult, Failure> {
    let (progress, mut reports) = mpsc::channel(16);
    let (asks, mut questions) = mpsc::channel(4);
    let call = HubCall {
        server: turn.entry.capability.server.clone(),
        tool: turn.entry.capability.name.clone(),
        arguments: turn.call.arguments.clone(),
        timeout: Some(turn.timeout),
        progress: Some(progress),
        asks: Some(asks),
    };
    let mut running = std::pin::pin!(hub.call(&call));
    let mut answers = FuturesUnordered::new();
    loop {
        tokio::select! {
            result = &mut running => return result,
            Some(report) = reports.recv() => tell(context, &report),
            Some((question, reply)) = questions.recv() => answers.push(async move {
                let answer = context.elicit(question).await;
                // A server that gave up waiting has nobody left to hear it.
                let _gone = reply.send(answer);
            }),
            Some(()) = answers.next(), if !answers.is_empty() => {}
        }
    }
}

fn tell(context: &dyn CallContext, report: &Progress) {
    let fraction = report
        .total
        .filter(|total| *total > 0.0)
        .map(|total| (report.done / total).clamp(0.0, 1.0));
    let words = report.message.clone().unwrap_or_else(|| match report.total {
        Some(total) => format!("{} of {total}", report.done),
        None => format!("{}", report.done),
    });
    context.progress(fraction, &words);
}
