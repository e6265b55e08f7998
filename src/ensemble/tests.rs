//! What must hold of any count, and a few that can be checked by hand.

use proptest::prelude::*;

use super::*;

fn ballot(voter: &str, choice: u8, weight: f64, confidence: f64) -> Ballot<u8> {
    Ballot {
        voter: voter.into(),
        choice,
        weight,
        confidence,
    }
}

const ANY: Rule = Rule {
    quorum: 1,
    majority: 0.5,
};

#[test]
fn weight_and_confidence_count_not_heads() {
    let ballots = [
        ballot("a", 1, 1.0, 0.2),
        ballot("b", 1, 1.0, 0.2),
        ballot("c", 2, 2.0, 0.8),
    ];
    let Outcome::Decided(c) = tally(&ballots, ANY) else {
        panic!("{:?}", tally(&ballots, ANY))
    };
    assert_eq!(c.choice, 2);
    assert!((c.share - 0.8).abs() < 1e-9 && (c.margin - 0.6).abs() < 1e-9);
    assert!((c.confidence - 0.8).abs() < 1e-9);
    assert_eq!(
        tally(&ballots, ANY).explain(&ballots),
        "a 1 0.20, b 1 0.20, c 2 0.80 (weight 2.0): 2 with 80 % of the votes"
    );
}

#[test]
fn a_tie_is_undecided() {
    let ballots = [ballot("a", 1, 1.0, 0.5), ballot("b", 2, 1.0, 0.5)];
    assert_eq!(tally(&ballots, ANY), Outcome::Split { share: 0.5 });
    assert!(
        tally(&ballots, ANY)
            .explain(&ballots)
            .ends_with("undecided, the most has 50 %")
    );
}

#[test]
fn abstentions_do_not_make_a_quorum() {
    let ballots = [
        ballot("a", 1, 1.0, 0.9),
        ballot("b", 1, 1.0, 0.0),
        ballot("c", 1, f64::NAN, 1.0),
    ];
    let outcome = tally(&ballots, Rule::simple(3));
    assert_eq!(outcome, Outcome::NoQuorum { cast: 1, needed: 2 });
    assert!(outcome.explain(&ballots).ends_with("1 of 2 votes, too few"));
    let none: [Ballot<u8>; 0] = [];
    assert!(matches!(tally(&none, ANY), Outcome::NoQuorum { .. }));
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => 0.0..3.0,
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(-1.0),
    ]
}

fn any_ballot() -> impl Strategy<Value = Ballot<u8>> {
    (0_u8..4, any_number(), any_number())
        .prop_map(|(choice, weight, confidence)| ballot("v", choice, weight, confidence))
}

fn winner(outcome: &Outcome<u8>) -> Option<u8> {
    match outcome {
        Outcome::Decided(c) => Some(c.choice),
        _ => None,
    }
}

proptest! {
    #[test]
    fn every_figure_is_a_fraction_and_the_majority_is_kept(
        ballots in prop::collection::vec(any_ballot(), 0..9), majority in 0.0..1.2_f64, quorum in 0_usize..5,
    ) {
        match tally(&ballots, Rule { quorum, majority }) {
            Outcome::Decided(c) => {
                for figure in [c.share, c.margin, c.confidence] {
                    prop_assert!((0.0..=1.0).contains(&figure), "{c:?}");
                }
                prop_assert!(c.share > majority.clamp(0.5, 1.0) || (c.share - 1.0).abs() < 1e-9);
                prop_assert!(ballots.iter().filter(|b| b.strength() > 0.0).count() >= quorum);
            }
            Outcome::Split { share } => prop_assert!(share <= majority.clamp(0.5, 1.0)),
            Outcome::NoQuorum { cast, needed } => prop_assert!(cast < needed),
        }
    }

    #[test]
    fn the_order_of_ballots_does_not_matter(
        mut ballots in prop::collection::vec(any_ballot(), 0..9), turn in 0_usize..9,
    ) {
        let before = winner(&tally(&ballots, ANY));
        let by = turn % ballots.len().max(1);
        ballots.rotate_left(by);
        prop_assert_eq!(winner(&tally(&ballots, ANY)), before);
    }

    #[test]
    fn one_more_vote_for_the_winner_never_unseats_it(ballots in prop::collection::vec(any_ballot(), 1..9)) {
        if let Some(choice) = winner(&tally(&ballots, ANY)) {
            let more: Vec<_> = ballots.into_iter().chain([ballot("n", choice, 1.0, 1.0)]).collect();
            prop_assert_eq!(winner(&tally(&more, ANY)), Some(choice));
        }
    }

    #[test]
    fn all_weights_by_the_same_factor_change_nothing(
        ballots in prop::collection::vec(any_ballot(), 1..9), factor in 0.1..10.0_f64,
    ) {
        let scaled: Vec<_> =
            ballots.iter().cloned().map(|b| Ballot { weight: b.weight * factor, ..b }).collect();
        let (a, b) = (tally(&ballots, ANY), tally(&scaled, ANY));
        // at the very edge of a tie rounding may tip it
        let edge = |o: &Outcome<u8>| matches!(o, Outcome::Decided(c) if c.margin < 1e-6);
        if !edge(&a) && !edge(&b) {
            prop_assert_eq!(winner(&a), winner(&b));
        }
    }

    #[test]
    fn who_agrees_unanimously_wins(n in 1_usize..9, weight in 0.1..3.0_f64, confidence in 0.01..1.0_f64) {
        let ballots: Vec<_> = (0..n).map(|_| ballot("v", 7, weight, confidence)).collect();
        let Outcome::Decided(c) = tally(&ballots, Rule::simple(n)) else { panic!("undecided") };
        prop_assert!((c.share - 1.0).abs() < 1e-9 && (c.margin - 1.0).abs() < 1e-9);
        prop_assert!((c.confidence - confidence).abs() < 1e-9);
    }
}
