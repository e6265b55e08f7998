//! Subscribe over real gRPC: once, poll, on change, sampled.

use super::*;

struct Stream {
    requests: mpsc::Sender<SubscribeRequest>,
    answers: Streaming<SubscribeResponse>,
}

impl Stream {
    async fn open(client: &mut GNmiClient<Channel>, list: SubscriptionList) -> Self {
        let (requests, receiver) = mpsc::channel(4);
        let first = subscribe_request::Request::Subscribe(list);
        requests
            .send(SubscribeRequest {
                request: Some(first),
                ..Default::default()
            })
            .await
            .unwrap();
        let answers = client
            .subscribe(signed(ReceiverStream::new(receiver)))
            .await
            .unwrap()
            .into_inner();
        Stream { requests, answers }
    }

    async fn next(&mut self) -> Result<Option<Sent>, Status> {
        let message = tokio::time::timeout(Duration::from_secs(3), self.answers.message()).await;
        message
            .expect("no answer")
            .map(|answer| answer.and_then(|answer| answer.response))
    }

    async fn notification(&mut self) -> Notification {
        match self.next().await {
            Ok(Some(Sent::Update(notification))) => notification,
            other => panic!("{other:?}"),
        }
    }

    async fn sync(&mut self) {
        assert_eq!(self.next().await.unwrap(), Some(Sent::SyncResponse(true)));
    }
}

fn list(mode: Mode, text: &str, submode: SubscriptionMode, interval_ms: u64) -> SubscriptionList {
    SubscriptionList {
        mode: mode.into(),
        encoding: Encoding::Proto.into(),
        subscription: vec![Subscription {
            path: Some(path::parse(text).unwrap()),
            mode: submode.into(),
            sample_interval: interval_ms * 1_000_000,
            ..Subscription::default()
        }],
        ..SubscriptionList::default()
    }
}

fn text_of(notification: &Notification) -> Vec<(String, String)> {
    let show = |update: &crate::proto::gnmi::Update| {
        let value = match update.val.as_ref().unwrap().value.as_ref().unwrap() {
            typed_value::Value::StringVal(text) => text.clone(),
            other => format!("{other:?}"),
        };
        (path::print(update.path.as_ref().unwrap()), value)
    };
    notification.update.iter().map(show).collect()
}

#[tokio::test]
async fn subscribe_once_and_poll() {
    let (_fake, running) = start().await;
    let mut client = client(&running).await;
    let mut once = Stream::open(
        &mut client,
        list(Mode::Once, OPER, SubscriptionMode::TargetDefined, 0),
    )
    .await;
    let expected = "/interfaces/interface[name=GigabitEthernet0/0/0/0]/state/oper-status";
    assert_eq!(
        text_of(&once.notification().await),
        [(expected.to_owned(), "UP".to_owned())]
    );
    once.sync().await;
    assert_eq!(once.next().await.unwrap(), None);

    let mut poll = Stream::open(
        &mut client,
        list(Mode::Poll, OPER, SubscriptionMode::TargetDefined, 0),
    )
    .await;
    for _ in 0..2 {
        poll.notification().await;
        poll.sync().await;
        let again = subscribe_request::Request::Poll(crate::proto::gnmi::Poll {});
        poll.requests
            .send(SubscribeRequest {
                request: Some(again),
                ..Default::default()
            })
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_stream_follows_changes_and_deletions() {
    let (fake, running) = start().await;
    let mut client = client(&running).await;
    let watched = "interfaces/interface[name=*]/state";
    let mut stream = Stream::open(
        &mut client,
        list(Mode::Stream, watched, SubscriptionMode::OnChange, 0),
    )
    .await;
    assert!(stream.notification().await.update.len() > 40);
    stream.sync().await;
    fake.edit(|state| {
        state.interfaces[1].oper_up = false;
        state.interfaces[1].counters.in_octets += 1;
    });
    let expected = "/interfaces/interface[name=GigabitEthernet0/0/0/0]/state/oper-status";
    assert_eq!(
        text_of(&stream.notification().await),
        [(expected.to_owned(), "DOWN".to_owned())]
    );
    fake.edit(|state| {
        state.interfaces.remove(2);
    });
    let deleted = stream.notification().await.delete;
    assert!(
        deleted
            .iter()
            .all(|path| path.elem[1].key["name"] == "GigabitEthernet0/0/0/2")
    );
    assert!(!deleted.is_empty());
}

#[tokio::test]
async fn a_stream_samples_and_refuses_what_is_too_fast() {
    let (fake, running) = start().await;
    let mut client = client(&running).await;
    let mut stream = Stream::open(
        &mut client,
        list(Mode::Stream, OPER, SubscriptionMode::Sample, 100),
    )
    .await;
    stream.notification().await;
    stream.sync().await;
    fake.edit(|state| state.interfaces[1].oper_up = false);
    assert_eq!(text_of(&stream.notification().await)[0].1, "DOWN");

    let (requests, receiver) = mpsc::channel(1);
    let first = subscribe_request::Request::Subscribe(list(Mode::Stream, OPER, SubscriptionMode::Sample, 1));
    requests
        .send(SubscribeRequest {
            request: Some(first),
            ..Default::default()
        })
        .await
        .unwrap();
    let refused = client
        .subscribe(signed(ReceiverStream::new(receiver)))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
}
