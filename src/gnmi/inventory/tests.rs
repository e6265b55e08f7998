//! Tests of the inventory: what is accepted, and what each error says.

use super::*;
use secrecy::ExposeSecret as _;

fn parse(text: &str) -> Result<Inventory, InventoryError> {
    Inventory::parse(text, Path::new("inventory.json"), &Fallback::default())
}

const ONE: &str =
    r#"[{"name":"xrd-1","ip_address":"127.0.0.1","port":57401,"username":"cisco","password":"s3cret"}]"#;

#[test]
fn defaults_are_the_contracts() {
    let inventory = parse(ONE).unwrap();
    let device = inventory.find("xrd-1").unwrap();
    assert_eq!(device.address(), "127.0.0.1:57401");
    assert_eq!(device.timeout, Duration::from_secs(5));
    assert!(device.tls.is_none());
    assert_eq!(device.listing["password"], "***");
    assert_eq!(device.listing["insecure"], true);
    assert_eq!(device.listing["gnmi_timeout"], 5);
    assert!(
        !format!("{inventory:?}").contains("s3cret"),
        "a password must not be printed"
    );
}

#[test]
fn errors_name_the_file_the_entry_and_the_field() {
    let base = r#""username":"u","password":"p""#;
    for (text, wanted) in [
        ("{}".to_owned(), vec!["the list", "an object where a list"]),
        ("[]".into(), vec!["no device"]),
        ("[1]".into(), vec!["device 1", "an object is expected"]),
        ("[\n{\"name\":}]".into(), vec!["line 2, column 9"]),
        (
            format!("[{{\"ip_address\":\"1.1.1.1\",{base}}}]"),
            vec!["device 1", "\"name\"", "missing"],
        ),
        (
            format!("[{{\"name\":\"a\",\"ip_address\":\"a.lab\",{base}}}]"),
            vec!["device 1 (\"a\")", "ip_address", "a.lab"],
        ),
        (
            format!("[{{\"name\":\"a\",\"ip_address\":\"1.1.1.1:830\",{base}}}]"),
            vec!["without port"],
        ),
        (
            format!("[{{\"name\":\"a\",\"ip_address\":\"1.1.1.1\",\"port\":0,{base}}}]"),
            vec!["\"port\"", "1 to 65535"],
        ),
        (
            format!("[{{\"name\":\"a\",\"ip_address\":\"1.1.1.1\",\"port\":\"830\",{base}}}]"),
            vec!["\"port\""],
        ),
        (
            format!("[{{\"name\":\"a\",\"ip_address\":\"1.1.1.1\",\"skip_verfy\":true,{base}}}]"),
            vec!["skip_verfy", "did you mean \"skip_verify\""],
        ),
        (
            format!("[{{\"name\":\"a\",\"ip_address\":\"1.1.1.1\",\"nos\":\"eos\",{base}}}]"),
            vec!["\"nos\"", "eos"],
        ),
        (
            format!(
                "[{{\"name\":\"a\",\"ip_address\":\"1.1.1.1\",{base}}},{{\"name\":\"a\",\"ip_address\":\"1.1.1.2\",{base}}}]"
            ),
            vec!["device 2 (\"a\")", "taken by device 1"],
        ),
        (
            "[{\"name\":\"a\",\"ip_address\":\"1.1.1.1\"}]".into(),
            vec!["no way to log in"],
        ),
        (
            "[{\"name\":\"a\",\"ip_address\":\"1.1.1.1\",\"username\":\"u\"}]".into(),
            vec!["\"password\"", "missing"],
        ),
        (
            "[{\"name\":\"a\",\"ip_address\":\"1.1.1.1\",\"path_cert\":\"c.pem\"}]".into(),
            vec!["path_key", "missing"],
        ),
        (
            format!("[{{\"name\":\"a\",\"ip_address\":\"1.1.1.1\",\"insecure\":\"no\",{base}}}]"),
            vec!["\"insecure\"", "true or false"],
        ),
    ] {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.starts_with("inventory.json: "), "{error}");
        assert_eq!(error.lines().count(), 2, "{error}");
        for part in wanted {
            assert!(error.contains(part), "{part:?} not in {error:?}");
        }
    }
}

#[test]
fn a_certificate_turns_tls_on() {
    let text = r#"[{"name":"a","ip_address":"2001:db8::1","path_cert":"c","path_key":"k","override":"r1"}]"#;
    let inventory = parse(text).unwrap();
    let device = inventory.find("a").unwrap();
    assert_eq!(device.address(), "[2001:db8::1]:830");
    let tls = device.tls.clone().unwrap();
    assert_eq!(tls.server_name.as_deref(), Some("r1"));
    assert_eq!(device.listing["insecure"], false);
    assert_eq!(device.listing["password"], serde_json::Value::Null);
}

#[tokio::test]
async fn passwords_come_from_environment_and_commands() {
    let fallback = Fallback::from_environment(|name| match name {
        "NOCTUI_GNMI_USERNAME" => Some("ops".into()),
        "NOCTUI_GNMI_PASSWORD_COMMAND" => Some("printf 'from-a-command\\nignored'".into()),
        _ => None,
    });
    let inventory = Inventory::parse(
        r#"[{"name":"a","ip_address":"1.1.1.1"}]"#,
        Path::new("i"),
        &fallback,
    )
    .unwrap();
    let credentials = &inventory.devices()[0].credentials;
    assert_eq!(credentials.username.as_deref(), Some("ops"));
    let password = credentials.password.as_ref().unwrap().reveal().await.unwrap();
    assert_eq!(password.expose_secret(), "from-a-command");

    let failed = Password::Command("echo hush; exit 3".into())
        .reveal()
        .await
        .unwrap_err();
    assert!(
        failed.contains("exit status: 3") && !failed.contains("hush"),
        "{failed}"
    );
    let silent = Password::Command("true".into()).reveal().await.unwrap_err();
    assert!(silent.contains("printed nothing"), "{silent}");
    let unset = Password::Environment("NOCTUI_TEST_UNSET".into())
        .reveal()
        .await
        .unwrap_err();
    assert!(unset.contains("NOCTUI_TEST_UNSET"), "{unset}");
}

#[test]
fn near_names_are_offered() {
    let text = r#"[{"name":"xrd-1","ip_address":"1.1.1.1","username":"u","password":"p"},
                   {"name":"core-9","ip_address":"1.1.1.2","username":"u","password":"p"}]"#;
    let inventory = parse(text).unwrap();
    assert_eq!(inventory.nearest("XRD1"), ["xrd-1"]);
    assert!(inventory.nearest("zzz").is_empty());
}
