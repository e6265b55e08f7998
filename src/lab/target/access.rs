//! Who may talk to a target: user name and password in the request metadata, as gNMI clients send them.

use tonic::Status;
use tonic::metadata::MetadataMap;

/// The one user of a lab's devices. Lab credentials are no secrets; they stand in the inventory file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    pub username: String,
    pub password: String,
}

impl Default for Credentials {
    fn default() -> Self {
        Credentials {
            username: "lab".into(),
            password: "lab".into(),
        }
    }
}

impl Credentials {
    /// # Errors
    /// `UNAUTHENTICATED` when user or password are missing or wrong; it does not say which.
    pub(super) fn check(&self, metadata: &MetadataMap) -> Result<(), Status> {
        let sent = |key: &str| metadata.get(key).and_then(|value| value.to_str().ok());
        if sent("username") == Some(&self.username) && sent("password") == Some(&self.password) {
            return Ok(());
        }
        Err(Status::unauthenticated(
            "authentication failed: user name or password is missing or wrong; send both as request metadata",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_must_be_right() {
        let credentials = Credentials::default();
        let mut metadata = MetadataMap::new();
        assert!(credentials.check(&metadata).is_err());
        metadata.insert("username", "lab".parse().unwrap());
        assert!(credentials.check(&metadata).is_err());
        metadata.insert("password", "wrong".parse().unwrap());
        assert!(credentials.check(&metadata).is_err());
        metadata.insert("password", "lab".parse().unwrap());
        assert!(credentials.check(&metadata).is_ok());
    }
}
