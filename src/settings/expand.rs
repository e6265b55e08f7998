//! `${NAME}` in a value: taken from the environment when it is used, so that files hold no secrets.

/// Replaces every `${NAME}` by `lookup(NAME)`; `$${` writes a literal `${`.
///
/// # Errors
/// The first name that has no value, or the text after an unclosed `${`.
pub fn expand(text: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        if rest[..start].ends_with('$') {
            out.push_str(&rest[..start]);
            out.push('{');
            rest = &rest[start + 2..];
            continue;
        }
        out.push_str(&rest[..start]);
        let tail = &rest[start + 2..];
        let end = tail.find('}').ok_or_else(|| tail.to_owned())?;
        let name = &tail[..end];
        out.push_str(&lookup(name).ok_or_else(|| name.to_owned())?);
        rest = &tail[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::expand;

    fn lookup(name: &str) -> Option<String> {
        (name == "TOKEN").then(|| "s3cret".to_owned())
    }

    #[test]
    fn names_are_replaced_and_missing_ones_named() {
        assert_eq!(expand("Bearer ${TOKEN}!", &lookup).unwrap(), "Bearer s3cret!");
        assert_eq!(expand("a $${TOKEN} b", &lookup).unwrap(), "a ${TOKEN} b");
        assert_eq!(expand("none", &lookup).unwrap(), "none");
        assert_eq!(expand("${NOPE}", &lookup).unwrap_err(), "NOPE");
        assert_eq!(expand("${open", &lookup).unwrap_err(), "open");
    }
}
