//! The running lab's side of the control port.

use super::message::{Answer, Order, Question, Refusal};
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// Longest question, in bytes.
const LONGEST: u64 = 64 * 1024;

/// What can be controlled.
pub trait Controlled: Send + Sync + 'static {
    /// Follows an order, or says why not.
    fn follow(&self, order: Order) -> Answer;
}

/// Answers on the listener until `stop`. Questions without the token are refused.
pub async fn serve(
    listener: TcpListener,
    token: String,
    controlled: Arc<dyn Controlled>,
    stop: CancellationToken,
) {
    let token = Arc::new(token);
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else { continue };
        let (token, controlled) = (token.clone(), controlled.clone());
        tokio::spawn(async move {
            if let Err(error) = answer(stream, &token, controlled).await {
                tracing::debug!(%error, "a control connection broke off");
            }
        });
    }
}

async fn answer(stream: TcpStream, token: &str, controlled: Arc<dyn Controlled>) -> io::Result<()> {
    let mut line = String::new();
    let mut stream = BufReader::new(stream);
    (&mut stream).take(LONGEST).read_line(&mut line).await?;
    let answer = match serde_json::from_str::<Question>(&line) {
        Ok(question) if question.token == token => {
            // Computing a large network takes a while; the targets must go on answering.
            tokio::task::spawn_blocking(move || controlled.follow(question.order)).await?
        }
        Ok(_) => refused(
            "the token is wrong",
            "use the file the lab wrote in the state folder",
        ),
        Err(error) => refused(&format!("not a question: {error}"), "send one line of JSON"),
    };
    let mut line = serde_json::to_string(&answer)?;
    line.push('\n');
    stream.write_all(line.as_bytes()).await?;
    stream.shutdown().await
}

fn refused(what: &str, next: &str) -> Answer {
    Answer::Refused(Refusal {
        what: what.to_owned(),
        next: next.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{ControlError, LabRecord, Status, call, find_all};
    use super::*;

    struct Fake;

    impl Controlled for Fake {
        fn follow(&self, order: Order) -> Answer {
            match order {
                Order::Status => Answer::Status(Status {
                    devices: 8,
                    faults: vec!["x".into()],
                    sets: 0,
                }),
                Order::Heal => Answer::Done,
                // Echoes what arrived.
                Order::Inject { fault } => refused(&format!("{fault:?}"), "never"),
                Order::Show { .. } => refused("no", "never"),
            }
        }
    }

    async fn start() -> (LabRecord, CancellationToken) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let record = LabRecord {
            pid: 7,
            network: "S".into(),
            scenario: String::new(),
            seed: 1,
            started: String::new(),
            control: listener.local_addr().unwrap(),
            token: "secret".into(),
            inventory: None,
        };
        let stop = CancellationToken::new();
        tokio::spawn(serve(listener, "secret".into(), Arc::new(Fake), stop.clone()));
        (record, stop)
    }

    #[tokio::test]
    async fn orders_are_followed_or_refused() {
        let (lab, _stop) = start().await;
        assert!(matches!(
            call(&lab, &Order::Status).await,
            Ok(Answer::Status(Status { devices: 8, .. }))
        ));
        assert_eq!(call(&lab, &Order::Heal).await.unwrap(), Answer::Done);
        let show = Order::Show {
            device: "r1".into(),
            path: "/".into(),
        };
        assert!(
            matches!(call(&lab, &show).await, Err(ControlError::Refused(refusal)) if refusal.what == "no")
        );
        let stranger = LabRecord {
            token: "guess".into(),
            ..lab
        };
        assert!(matches!(
            call(&stranger, &Order::Heal).await,
            Err(ControlError::Refused(_))
        ));
    }

    #[tokio::test]
    async fn faults_arrive_as_they_were_typed() {
        let (lab, _stop) = start().await;
        for line in [
            "bgp.neighbor.remote_as device=xrd-1 neighbor=100.100.100.107 value=65001",
            "link.congestion device=xrd-1 interface=GigabitEthernet0/0/0/2 rate=50",
            "node.process_hog device=xrd-1 value=92.5",
            "vrf.import_rt device=xrd-1 vrf=CUST-A value=['100:1','100:2']",
            "isis.passive device=xrd-1 interface=GigabitEthernet0/0/0/2 value=true at_s=-60",
        ] {
            let fault = Box::new(super::super::parse_fault(line).unwrap());
            let typed = format!("{fault:?}");
            let answer = call(&lab, &Order::Inject { fault }).await;
            let Err(ControlError::Refused(refusal)) = answer else {
                panic!("{line}: {answer:?}");
            };
            assert_eq!(refusal.what, typed, "{line}");
        }
    }

    #[tokio::test]
    async fn labs_are_found_and_dead_ones_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let (lab, _stop) = start().await;
        lab.write(folder.path()).unwrap();
        let closed = TcpListener::bind("127.0.0.1:0")
            .await
            .unwrap()
            .local_addr()
            .unwrap();
        LabRecord {
            pid: 8,
            control: closed,
            ..lab.clone()
        }
        .write(folder.path())
        .unwrap();
        assert_eq!(find_all(folder.path()).await, [lab]);
        assert!(!folder.path().join("8.json").exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = folder
                .path()
                .join("7.json")
                .metadata()
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o077, 0, "others cannot read the token");
        }
    }
}
