//! `openconfig-routing-policy`: whether a policy lets anything through.

use super::super::cursor::{Cursor, local};
use crate::diagnosis::network::DeviceFacts;

pub fn read(device: &mut DeviceFacts, at: &Cursor<'_>) {
    for policy in at.list("policy-definitions/policy-definition") {
        let Some(name) = policy
            .child("name")
            .or_else(|| policy.leaf("name"))
            .and_then(|c| c.text())
        else {
            continue;
        };
        let mut last = None;
        for statement in policy.list("statements/statement") {
            let result = statement.child("actions").and_then(|a| a.leaf("policy-result"));
            let Some(result) = result else { continue };
            let accepts = result.text().is_some_and(|t| !local(&t).starts_with("REJECT"));
            last = Some(result.fact(accepts));
            if accepts {
                break;
            }
        }
        if let Some(fact) = last {
            device.policies.insert(name, fact);
        }
    }
}
