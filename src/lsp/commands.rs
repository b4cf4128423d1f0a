//! Commands that clients may run.
//!
//! Given a name and arguments, gives what is asked for; running it is the server's
//! part. None of them touches a file or starts a program.

use crate::config::LaunchRule;
use gen_lsp_types::{Position, Uri};
use serde_json::Value;

/// `[uri, kernel?]`: the accesses of a kernel or a whole document, as Markdown.
pub const SHOW_ACCESSES: &str = "cudalint.showAccesses";
/// `[rule]`: the rule's page, as Markdown.
pub const EXPLAIN: &str = "cudalint.explain";
/// `[uri, position]`: the access there explained in full, as Markdown.
pub const EXPLAIN_ACCESS: &str = "cudalint.explainAccess";
/// `[{kernel, block, grid?}]`: analyse kernels of this name as if launched so.
pub const CHOOSE_LAUNCH: &str = "cudalint.chooseLaunch";
/// `[kernel]`: back to the launches in the text.
pub const FORGET_LAUNCH: &str = "cudalint.forgetLaunch";

pub const ALL: [&str; 5] = [
    SHOW_ACCESSES,
    EXPLAIN,
    EXPLAIN_ACCESS,
    CHOOSE_LAUNCH,
    FORGET_LAUNCH,
];

/// Most threads of a block.
const MOST_THREADS: u64 = 1024;

/// A command with arguments that make sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    ShowAccesses { uri: Uri, kernel: Option<String> },
    Explain { rule: String },
    ExplainAccess { uri: Uri, position: Position },
    ChooseLaunch(LaunchRule),
    ForgetLaunch { kernel: String },
}

/// # Errors
/// One sentence about the name or the argument that is wrong.
pub fn read(name: &str, arguments: &[Value]) -> Result<Order, String> {
    let text = |at: usize, what: &str| {
        let argument = arguments.get(at).and_then(Value::as_str);
        argument
            .map(str::to_owned)
            .ok_or_else(|| format!("{name}: argument {} is to be {what}, as a text", at + 1))
    };
    match name {
        SHOW_ACCESSES => Ok(Order::ShowAccesses {
            uri: Uri(text(0, "a document's URI")?),
            kernel: text(1, "a kernel's name").ok(),
        }),
        EXPLAIN => Ok(Order::Explain {
            rule: text(0, "a rule's name or code")?,
        }),
        EXPLAIN_ACCESS => {
            let position = arguments.get(1).cloned().unwrap_or(Value::Null);
            Ok(Order::ExplainAccess {
                uri: Uri(text(0, "a document's URI")?),
                position: serde_json::from_value(position).map_err(|_| {
                    format!("{name}: argument 2 is to be a position, as in {{\"line\": 12, \"character\": 4}}")
                })?,
            })
        }
        FORGET_LAUNCH => Ok(Order::ForgetLaunch {
            kernel: text(0, "a kernel's name")?,
        }),
        CHOOSE_LAUNCH => {
            let launch = arguments.first().unwrap_or(&Value::Null);
            let kernel = launch.get("kernel").and_then(Value::as_str);
            let kernel = kernel.ok_or_else(|| {
                format!("{name}: the argument is to be an object with `kernel` and `block`")
            })?;
            let axes = |key: &str| launch.get(key).filter(|value| !value.is_null()).map(axes);
            let wrong = |key: &str| {
                format!("{name}: `{key}` takes one to three numbers from 1 on, as in [32, 8]")
            };
            let block = axes("block").flatten().ok_or_else(|| wrong("block"))?;
            let threads = block
                .iter()
                .fold(1u64, |all, axis| all.saturating_mul(*axis));
            if threads > MOST_THREADS {
                return Err(format!(
                    "{name}: a block has at most {MOST_THREADS} threads"
                ));
            }
            let grid = match axes("grid") {
                None => None,
                Some(grid) => Some(grid.ok_or_else(|| wrong("grid"))?),
            };
            Ok(Order::ChooseLaunch(LaunchRule {
                kernel: kernel.to_owned(),
                block,
                grid,
            }))
        }
        _ => Err(format!(
            "no command is called `{name}`; there are {}",
            ALL.join(", ")
        )),
    }
}

/// `256` or `[32, 8]`
fn axes(value: &Value) -> Option<[u64; 3]> {
    let numbers: Vec<u64> = match value {
        Value::Array(list) => list.iter().map(Value::as_u64).collect::<Option<_>>()?,
        one => vec![one.as_u64()?],
    };
    let is_axis = |n: &u64| (1..=u64::from(u32::MAX >> 1)).contains(n);
    if numbers.is_empty() || numbers.len() > 3 || !numbers.iter().all(is_axis) {
        return None;
    }
    let mut all = [1; 3];
    all[..numbers.len()].copy_from_slice(&numbers);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn launches_are_read_in_each_form() {
        let read = |value| read(CHOOSE_LAUNCH, &[value]);
        assert_eq!(
            read(json!({ "kernel": "k", "block": 128, "grid": [2, 3] })),
            Ok(Order::ChooseLaunch(LaunchRule {
                kernel: "k".to_owned(),
                block: [128, 1, 1],
                grid: Some([2, 3, 1]),
            }))
        );
        for wrong in [
            json!({ "kernel": "k" }),
            json!({ "kernel": "k", "block": [] }),
            json!({ "kernel": "k", "block": [64, 64] }),
            json!({ "kernel": "k", "block": 32, "grid": 0 }),
            json!(null),
        ] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn positions_are_read() {
        let read = |value| read(EXPLAIN_ACCESS, &[json!("file:///a.cu"), value]);
        assert!(read(json!({ "line": 1, "character": 2 })).is_ok());
        let problem = read(json!(7)).expect_err("no position");
        assert!(problem.contains("\"line\""), "{problem}");
    }

    #[test]
    fn unknown_commands_name_the_known() {
        let problem = read("cudalint.run", &[]).expect_err("no such command");
        assert!(problem.contains(SHOW_ACCESSES), "{problem}");
    }
}
