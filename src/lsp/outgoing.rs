//! Messages of the server: replies, notifications, and requests of its own.

use super::server::Server;
use crate::report::visible;
use lsp_server::{ErrorCode, Notification, Request, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// `MessageType::Warning`.
const WARNING: u32 = 2;

impl Server {
    /// The parameters of a notification; what cannot be read is logged and left out.
    pub(super) fn read<T: DeserializeOwned>(&self, method: &str, params: Value) -> Option<T> {
        match serde_json::from_value(params) {
            Ok(params) => Some(params),
            Err(error) => {
                self.log(&format!(
                    "the parameters of {method} cannot be read: {error}"
                ));
                None
            }
        }
    }

    pub(super) fn reply(&self, id: RequestId, result: impl Serialize) {
        self.outbox.send(Response::new_ok(id, result));
    }

    pub(super) fn refuse(&self, id: RequestId, code: ErrorCode, why: &str) {
        self.outbox
            .send(Response::new_err(id, code as i32, why.to_owned()));
    }

    pub(super) fn notify(&self, method: &str, params: impl Serialize) {
        self.outbox
            .send(Notification::new(method.to_owned(), params));
    }

    pub(super) fn call(&mut self, method: &'static str, params: Value) {
        self.next_id += 1;
        self.asked.insert(self.next_id, method);
        self.outbox.send(Request::new(
            RequestId::from(self.next_id),
            method.to_owned(),
            params,
        ));
    }

    pub(super) fn response(&mut self, response: Response) {
        let number = response.id.to_string().parse::<i32>();
        let method = number.ok().and_then(|number| self.asked.remove(&number));
        let Ok(result) = response.response_result else {
            return;
        };
        if method == Some("workspace/configuration") {
            let before = self.projects.settings().clone();
            let section = result.get(0).unwrap_or(&Value::Null);
            // A client without such a section has said all in its initialization options.
            if !section.is_null() {
                self.configure(section);
            }
            if *self.projects.settings() != before {
                self.all_outdated();
            }
        }
    }

    /// Tells the client to ask again for whatever it shows.
    pub(super) fn refresh(&mut self) {
        let client = self.client.clone();
        for (can, method) in [
            (
                client.refreshes_diagnostics && client.pulls_diagnostics,
                "workspace/diagnostic/refresh",
            ),
            (client.refreshes_hints, "workspace/inlayHint/refresh"),
            (client.refreshes_lenses, "workspace/codeLens/refresh"),
        ] {
            if can {
                self.call(method, Value::Null);
            }
        }
    }

    pub(super) fn show(&self, text: &str) {
        self.notify(
            "window/showMessage",
            json!({ "type": WARNING, "message": visible::text(&format!("cudalint: {text}")) }),
        );
    }

    pub(super) fn log(&self, text: &str) {
        self.notify(
            "window/logMessage",
            json!({ "type": WARNING, "message": visible::text(text) }),
        );
    }
}
