//! `openconfig-routing-policy`: the policies by name and what their one statement does.

use super::tree::{Leaf, Writer};
use crate::lab::state::DeviceState;

pub(super) fn write(w: &mut Writer<'_>, device: &DeviceState) {
    if device.policies.is_empty() {
        return;
    }
    w.container("openconfig-routing-policy:routing-policy", |w| {
        w.container("policy-definitions", |w| {
            for policy in &device.policies {
                w.entry("policy-definition", &[("name", Leaf::from(&policy.name))], |w| {
                    w.pair(|w| w.leaf("name", &policy.name), |_| {});
                    w.container("statements", |w| statement(w, policy.accepts));
                });
            }
        });
    });
}

fn statement(w: &mut Writer<'_>, accepts: bool) {
    let result = if accepts { "ACCEPT_ROUTE" } else { "REJECT_ROUTE" };
    w.entry("statement", &[("name", Leaf::from("10"))], |w| {
        w.pair(|w| w.leaf("name", "10"), |_| {});
        w.container("actions", |w| w.pair(|w| w.leaf("policy-result", result), |_| {}));
    });
}
