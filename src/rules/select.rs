//! The selection of rules: which are on, and at which level.
//!
//! Given names as users write them (`CL1`, `bank-conflict`, `ALL`), gives a
//! [`Selection`] that keeps, drops and levels findings. Knows nothing of where
//! the names were written.

use super::all;
use crate::config::{Thresholds, nearest};
use crate::finding::{Finding, Level};
use crate::source::{FileId, SourceMap};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::FxHashMap;
use std::path::Path;

/// The rules of a run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Codes of rules that are on.
    on: Vec<&'static str>,
    /// Codes of rules that are off unless named, and were.
    named: Vec<&'static str>,
    /// Code and level, the last one wins.
    levels: Vec<(&'static str, Level)>,
    /// Files in which rules are silent.
    silent: Vec<(Gitignore, Vec<&'static str>)>,
    thresholds: Thresholds,
}

impl Selection {
    /// Every rule at its own level.
    #[must_use]
    pub fn default_rules() -> Self {
        Self {
            on: all().iter().map(|rule| rule.code).collect(),
            ..Self::default()
        }
    }

    /// All rules but `ignore`, or `select` and `extend` but `ignore`.
    ///
    /// # Errors
    /// One sentence naming the word that is no rule.
    pub fn new(
        select: Option<&[String]>,
        extend: &[String],
        ignore: &[String],
    ) -> Result<Self, String> {
        let mut on: Vec<&'static str> = match select {
            None => all().iter().map(|rule| rule.code).collect(),
            Some(names) => resolve(names)?,
        };
        on.extend(resolve(extend)?);
        let off = resolve(ignore)?;
        on.retain(|code| !off.contains(code));
        let words = select.unwrap_or_default().iter().chain(extend);
        let named: Vec<String> = words
            .filter(|word| !word.trim().eq_ignore_ascii_case("all"))
            .cloned()
            .collect();
        Ok(Self {
            on,
            named: resolve(&named)?,
            ..Self::default()
        })
    }

    /// Gives the findings of a rule this level.
    ///
    /// # Errors
    /// One sentence naming the word that is no rule.
    pub fn level(&mut self, rule: &str, level: Level) -> Result<(), String> {
        for code in resolve(&[rule.to_owned()])? {
            self.levels.push((code, level));
        }
        Ok(())
    }

    /// Silences rules in the files below `folder` that match `pattern`, as .gitignore has it.
    ///
    /// # Errors
    /// One sentence naming the pattern or word that cannot be read.
    pub fn silence(
        &mut self,
        folder: &Path,
        pattern: &str,
        rules: &[String],
    ) -> Result<(), String> {
        let mut files = GitignoreBuilder::new(folder);
        let bad =
            |error| format!("per-file-ignores: cannot read the pattern `{pattern}` ({error})");
        files.add_line(None, pattern).map_err(bad)?;
        self.silent
            .push((files.build().map_err(bad)?, resolve(rules)?));
        Ok(())
    }

    /// Drops findings that cost less.
    pub fn threshold(&mut self, thresholds: Thresholds) {
        self.thresholds = thresholds;
    }

    /// Rules about costs in shared and global memory have their own families of codes.
    fn is_worth_telling(&self, finding: &Finding) -> bool {
        if finding.cost <= finding.ideal {
            return true;
        }
        match finding.code.as_bytes().get(2) {
            Some(b'1') => finding.cost.div_ceil(finding.ideal.max(1)) >= self.thresholds.ways,
            Some(b'2') => finding.cost - finding.ideal >= self.thresholds.excessive_sectors,
            _ => true,
        }
    }

    /// Whether the rule of this code may report anything.
    #[must_use]
    pub fn is_on(&self, code: &str) -> bool {
        self.on.contains(&code)
    }

    /// Keeps the findings of rules that are on, at their level.
    #[must_use]
    pub fn apply(&self, findings: Vec<Finding>, sources: &SourceMap) -> Vec<Finding> {
        // Patterns are held to each file once, not to each of its findings: a project may have many of both.
        let mut silent: FxHashMap<(FileId, &str), bool> = FxHashMap::default();
        findings
            .into_iter()
            .filter(|finding| self.on.contains(&finding.code))
            .filter(|finding| self.is_worth_telling(finding))
            .filter(|finding| {
                let key = (finding.primary.span.file, finding.code);
                !*silent
                    .entry(key)
                    .or_insert_with(|| self.is_silent(key, sources))
            })
            .map(|mut finding| {
                if finding.level == Level::Allow && self.named.contains(&finding.code) {
                    finding.level = Level::Warn;
                }
                let set = self
                    .levels
                    .iter()
                    .rev()
                    .find(|(code, _)| *code == finding.code);
                if let Some((_, level)) = set {
                    finding.level = level_for(finding.level, *level);
                }
                finding
            })
            .filter(|finding| finding.level > Level::Allow)
            .collect()
    }

    fn is_silent(&self, (file, code): (FileId, &str), sources: &SourceMap) -> bool {
        if self.silent.is_empty() {
            return false;
        }
        let path = &sources.get(file).path;
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        self.silent.iter().any(|(files, rules)| {
            rules.contains(&code)
                && absolute.starts_with(files.path())
                && files
                    .matched_path_or_any_parents(&absolute, false)
                    .is_ignore()
        })
    }
}

/// The level set by the user; a finding that is only possible stays below one that is proved.
fn level_for(judged: Level, set: Level) -> Level {
    if judged == Level::Info && set > Level::Info {
        Level::Info
    } else {
        set
    }
}

/// Codes of the rules that the words name: a code or a prefix of codes, a name, or `ALL`.
///
/// # Errors
/// One sentence naming the word that is no rule.
pub fn resolve(names: &[String]) -> Result<Vec<&'static str>, String> {
    let mut codes = Vec::new();
    for name in names {
        let name = name.trim();
        let upper = name.to_ascii_uppercase();
        let before = codes.len();
        let is_prefix = upper.starts_with("CL");
        codes.extend(
            all()
                .iter()
                .filter(|rule| {
                    upper == "ALL"
                        || rule.name.eq_ignore_ascii_case(name)
                        || is_prefix && rule.code.starts_with(&upper)
                })
                .map(|rule| rule.code),
        );
        if codes.len() == before {
            return Err(unknown(name));
        }
    }
    Ok(codes)
}

/// The sentence for a word that is no rule.
#[must_use]
pub fn unknown(name: &str) -> String {
    let names: Vec<&str> = all()
        .iter()
        .flat_map(|rule| [rule.code, rule.name])
        .collect();
    let part = |rule: &&&str| !name.is_empty() && rule.contains(&name.to_ascii_lowercase());
    match nearest(name, &names).or_else(|| names.iter().find(part).copied()) {
        Some(near) => format!("no rule is called `{name}`; did you mean `{near}`?"),
        None => format!("no rule is called `{name}`; `cudalint rules` lists them"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(select: Option<&[&str]>, ignore: &[&str]) -> Result<Vec<&'static str>, String> {
        let words = |words: &[&str]| -> Vec<String> {
            words.iter().map(|word| (*word).to_owned()).collect()
        };
        let select = select.map(words);
        Selection::new(select.as_deref(), &[], &words(ignore)).map(|selection| selection.on)
    }

    #[test]
    fn prefixes_and_names_select() {
        let with = |prefix: &str| -> Vec<&'static str> {
            let codes = all().iter().map(|rule| rule.code);
            codes.filter(|code| code.starts_with(prefix)).collect()
        };
        assert_eq!(codes(Some(&["CL2"]), &[]), Ok(with("CL2")));
        assert_eq!(codes(Some(&["bank-conflict"]), &[]), Ok(vec!["CL101"]));
        let rest = codes(None, &["cl2"]).expect("rules");
        assert!(rest.contains(&"CL101") && !rest.contains(&"CL201"));
        let rest = codes(Some(&["ALL"]), &["CL101"]).expect("rules");
        assert_eq!(rest.len(), all().len() - 1);
    }

    #[test]
    fn naming_a_rule_that_is_off_turns_it_on() {
        let words = ["sector-waste".to_owned()];
        let selection = Selection::new(None, &words, &[]).expect("rules");
        assert_eq!(selection.named, ["CL204"]);
        let all = Selection::new(Some(&["ALL".to_owned()]), &[], &[]).expect("rules");
        assert!(all.named.is_empty());
    }

    #[test]
    fn a_word_that_is_no_rule_names_the_nearest() {
        let problem = codes(Some(&["bank-conflicts"]), &[]).expect_err("no such rule");
        assert_eq!(
            problem,
            "no rule is called `bank-conflicts`; did you mean `bank-conflict`?"
        );
    }
}
