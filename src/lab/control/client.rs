//! Asks a running lab over its control port.

use super::message::{Answer, Order, Question, Refusal};
use super::record::LabRecord;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// How long a lab may take to answer; a large one computes for a while.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("lab {pid} does not answer on {address}: {source}", address = .record.control, pid = .record.pid)]
    Silent {
        record: Box<LabRecord>,
        source: io::Error,
    },
    #[error("{}", .0.what)]
    Refused(Refusal),
}

/// Asks and waits for the answer, at most 30 s.
///
/// # Errors
/// [`ControlError::Silent`] when the lab is gone, [`ControlError::Refused`] when it does not follow.
pub async fn call(lab: &LabRecord, order: &Order) -> Result<Answer, ControlError> {
    let silent = |source| ControlError::Silent {
        record: Box::new(lab.clone()),
        source,
    };
    let answer = tokio::time::timeout(PATIENCE, ask(lab, order)).await;
    match answer
        .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
        .map_err(silent)?
    {
        Answer::Refused(refusal) => Err(ControlError::Refused(refusal)),
        answer => Ok(answer),
    }
}

async fn ask(lab: &LabRecord, order: &Order) -> io::Result<Answer> {
    let question = Question {
        token: lab.token.clone(),
        order: order.clone(),
    };
    let mut stream = BufReader::new(TcpStream::connect(lab.control).await?);
    let mut line = serde_json::to_string(&question)?;
    line.push('\n');
    stream.write_all(line.as_bytes()).await?;
    line.clear();
    stream.read_line(&mut line).await?;
    Ok(serde_json::from_str(&line)?)
}
