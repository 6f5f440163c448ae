//! Encryption, and whose certificate is believed. Rustls with ring, as for brokers.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::settings::{Settings, SslMode};
use crate::error::PostgresError;

/// What encrypts connections as these settings want.
pub(super) fn connector(place: &str, settings: &Settings) -> Result<MakeRustlsConnect, PostgresError> {
    let refused = |why: String| {
        let hint = "check the files of certificates: sslrootcert, sslcert, sslkey, or those in ~/.postgresql";
        PostgresError::new(place, why, hint)
    };
    let provider = Arc::new(ring::default_provider());
    let algorithms = provider.signature_verification_algorithms;
    let verifier: Arc<dyn ServerCertVerifier> = match settings.ssl {
        SslMode::Disable | SslMode::Prefer | SslMode::Require => {
            Arc::new(LenientVerifier { authority: None, algorithms })
        }
        SslMode::VerifyCa => {
            let authority = Some(verifier(place, settings, provider.clone())?);
            Arc::new(LenientVerifier { authority, algorithms })
        }
        SslMode::VerifyFull => verifier(place, settings, provider.clone())?,
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let config = match &settings.certificate {
        None => config.with_no_client_auth(),
        Some((certificate, key)) => {
            let unread = |file: &std::path::Path, error: &dyn std::fmt::Display| {
                refused(format!("{} cannot be read as PEM: {error}", file.display()))
            };
            let chain = CertificateDer::pem_file_iter(certificate)
                .and_then(Iterator::collect)
                .map_err(|error| unread(certificate, &error))?;
            let key = PrivateKeyDer::from_pem_file(key).map_err(|error| unread(key, &error))?;
            config.with_client_auth_cert(chain, key).map_err(|error| refused(error.to_string()))?
        }
    };
    Ok(MakeRustlsConnect::new(config))
}

/// Believes what comes from the authorities that the settings name.
fn verifier(
    place: &str,
    settings: &Settings,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, PostgresError> {
    let refused = |why: String| {
        let hint = "name the authority's certificate: sslrootcert=/path/ca.pem in the address, PGSSLROOTCERT, or ~/.postgresql/root.crt; sslrootcert=system takes those of the system";
        PostgresError::new(place, why, hint)
    };
    let mut roots = RootCertStore::empty();
    match settings.root_certificates.as_deref() {
        None => {
            return Err(refused(
                "the server is to be verified, and no authority is named that may vouch for it".to_owned(),
            ));
        }
        Some("system") => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        Some(file) => {
            let certificates: Vec<CertificateDer<'_>> = CertificateDer::pem_file_iter(file)
                .and_then(Iterator::collect)
                .map_err(|error| refused(format!("{file} cannot be read as PEM: {error}")))?;
            roots.add_parsable_certificates(certificates);
        }
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
        .build()
        .map_err(|error| refused(format!("the certificates of authorities cannot be used: {error}")))
}

/// Believes more than rustls does by itself, as libpq below `verify-full`. That the server has the key of the certificate that it shows is
/// checked in every mode.
#[derive(Debug)]
struct LenientVerifier {
    /// Where there is one, certificates must come from it, whichever host they were made for (verify-ca). Where there is none, every
    /// certificate is believed: what is sent is encrypted, but perhaps for somebody in between.
    authority: Option<Arc<WebPkiServerVerifier>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for LenientVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(authority) = &self.authority else { return Ok(ServerCertVerified::assertion()) };
        match authority.verify_server_cert(certificate, chain, name, ocsp, now) {
            // The name is looked at last, so everything else has been found right.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
