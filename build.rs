//! Gives the build a name, and finds or provisions the Z3 shared library that the `z3` crate links.
//!
//! The name is a hash of what the answers are made by, so that results of one build are not taken for
//! those of another.
//!
//! Order: the `vendored-z3` feature (static, nothing to do here), the path in
//! `Z3_LIBRARY_PATH_OVERRIDE`, a system Z3 that pkg-config calls new enough,
//! else the pinned wheel below, fetched with pip into a per-user cache and
//! checked against its SHA-256. Nothing is fetched once the cache holds it; what the cache holds is
//! checked by its own hash in every build, and a copy of it lies beside the binaries.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The PyPI package whose wheels carry the library, and the pinned version.
const PACKAGE: &str = "z3-solver";
const VERSION: &str = "4.15.4.0";
const SONAME: &str = "libz3.so.4.15";

/// Oldest Z3 that the `z3` crate works with.
const OLDEST: &str = "4.13.3";

/// A wheel of a platform.
struct Wheel {
    platform: &'static str,
    /// Of the wheel, as the registry publishes it.
    sha256: &'static str,
    /// Of the library in it.
    blake3: &'static str,
}

const WHEELS: [Wheel; 2] = [
    Wheel {
        platform: "x86_64-linux",
        sha256: "7e103a6f203f505b8b8b8e5c931cc407c95b61556512d4921c1ddc0b3f41b08e",
        blake3: "553d3ed1e6a15447962635fa53efff988661ad2b6cb7fe0d2ddf048ce0e410b7",
    },
    Wheel {
        platform: "aarch64-linux",
        sha256: "62c7e9cbdd711932301f29919ad9158de9b2f58b4d281dd259bbcd0a2f408ba1",
        blake3: "ee35fc914a0a5a09d2312aa5c089d4312b218ec0307fe80f2660a5a34eed6dc7",
    },
];

/// What answers are made by.
const MADE_BY: [&str; 4] = ["src", "rules", "Cargo.toml", "Cargo.lock"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let mut hash = DefaultHasher::new();
    for path in MADE_BY {
        println!("cargo:rerun-if-changed={path}");
        add(Path::new(path), &mut hash);
    }
    println!("cargo:rustc-env=CUDALINT_BUILD={:016x}", hash.finish());
    println!("cargo:rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    println!("cargo:rerun-if-env-changed=CUDALINT_Z3_CACHE");
    if env::var_os("CARGO_FEATURE_VENDORED_Z3").is_some() {
        return;
    }
    if let Some(path) = env::var_os("Z3_LIBRARY_PATH_OVERRIDE") {
        link(Path::new(&path));
        return;
    }
    if system_z3() {
        return;
    }
    match provision() {
        Ok(directory) => link(&directory),
        Err(why) => {
            println!(
                "cargo::error=cudalint needs Z3 and could not provide it: {why}. Do one of: install Python 3 with pip \
                 (the build then fetches {PACKAGE} {VERSION}); install Z3 {OLDEST} or newer with its pkg-config file; \
                 set Z3_LIBRARY_PATH_OVERRIDE to the folder that holds libz3; build with `--features vendored-z3`."
            );
        }
    }
}

/// Adds the names and bytes of what lies at `path`, in order.
fn add(path: &Path, hash: &mut DefaultHasher) {
    if let Ok(bytes) = fs::read(path) {
        (path, bytes).hash(hash);
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut inside: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    inside.sort();
    inside.iter().for_each(|path| add(path, hash));
}

/// Links against the library in `directory` and lets the binaries find it at run time: beside
/// themselves, or in the folder above as tests and examples do, else there. What is to be carried
/// elsewhere brings the library along and names no folder of this machine.
fn link(directory: &Path) {
    println!("cargo:rustc-link-search=native={}", directory.display());
    for place in ["$ORIGIN", "$ORIGIN/.."] {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{place}");
    }
    if env::var_os("CARGO_FEATURE_RELOCATABLE").is_none() {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", directory.display());
    }
}

fn system_z3() -> bool {
    Command::new("pkg-config")
        .args(["--atleast-version", OLDEST, "z3"])
        .status()
        .is_ok_and(|status| status.success())
}

/// Gives the folder that holds `libz3.so`, fetching the wheel when the cache lacks it.
fn provision() -> Result<PathBuf, String> {
    let os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let platform = format!("{arch}-{os}");
    let wheel = WHEELS
        .iter()
        .find(|wheel| wheel.platform == platform)
        .ok_or_else(|| format!("no prebuilt library is pinned for {platform}"))?;

    let cache = cache_directory()?.join(format!("z3-{VERSION}-{platform}"));
    println!("cargo:rerun-if-changed={}", cache.display());
    if let Some(library) = checked(&cache, wheel) {
        return keep(&library);
    }
    let work = cache.with_extension(format!("part-{}", std::process::id()));
    fs::create_dir_all(&work).map_err(|e| format!("cannot create {}: {e}", work.display()))?;
    let fetched = fetch(&work, wheel.sha256).and_then(|()| {
        checked(&work, wheel).ok_or_else(|| "the fetched library is not the pinned one".to_owned())
    });
    if fetched.is_ok() {
        // What stands there is not what it should be; where another build has won the race it is the same.
        let _ = fs::remove_dir_all(&cache);
        let _ = fs::rename(&work, &cache);
    }
    let _ = fs::remove_dir_all(&work);
    keep(&fetched?)
}

/// The library in `folder`, if it is the pinned one: whoever can write there could have put another.
fn checked(folder: &Path, wheel: &Wheel) -> Option<Vec<u8>> {
    let library = fs::read(folder.join(SONAME)).ok()?;
    let is_pinned = blake3::hash(&library).to_hex().as_str() == wheel.blake3;
    is_pinned.then_some(library)
}

/// Writes the checked library where this build links it, and beside the binaries that it makes. Gives
/// the folder to link against.
fn keep(library: &[u8]) -> Result<PathBuf, String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    // `target/PROFILE/build/PACKAGE/out`
    let beside = out.ancestors().nth(3).unwrap_or(&out);
    // The linker looks for libz3.so, the loader for the name the library calls itself.
    for path in [out.join("libz3.so"), out.join(SONAME), beside.join(SONAME)] {
        if fs::read(&path).is_ok_and(|known| known == library) {
            continue;
        }
        // A program that runs may have the old one in memory.
        let _ = fs::remove_file(&path);
        fs::write(&path, library).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    Ok(out)
}

fn cache_directory() -> Result<PathBuf, String> {
    if let Some(path) = env::var_os("CUDALINT_Z3_CACHE") {
        return Ok(PathBuf::from(path));
    }
    let base = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .ok_or("neither XDG_CACHE_HOME nor HOME is set")?;
    Ok(base.join("cudalint"))
}

/// Downloads the wheel with pip, checks it, and unpacks the library into `work`.
fn fetch(work: &Path, sha256: &str) -> Result<(), String> {
    let requirements = work.join("requirements.txt");
    fs::write(
        &requirements,
        format!("{PACKAGE}=={VERSION} --hash=sha256:{sha256}\n"),
    )
    .map_err(|e| e.to_string())?;
    let arguments = [
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--only-binary=:all:",
        "--disable-pip-version-check",
    ];
    run(Command::new("python3")
        .args(arguments)
        .arg("-d")
        .arg(work)
        .arg("-r")
        .arg(&requirements))?;
    let unpack = "import sys, zipfile, glob, os, shutil\n\
                  wheel = glob.glob(os.path.join(sys.argv[1], '*.whl'))[0]\n\
                  with zipfile.ZipFile(wheel) as z:\n    \
                  name = [n for n in z.namelist() if n.endswith('/libz3.so')][0]\n    \
                  with z.open(name) as source, open(os.path.join(sys.argv[1], sys.argv[2]), 'wb') as target:\n        \
                  shutil.copyfileobj(source, target)\n\
                  os.remove(wheel)\n";
    run(Command::new("python3")
        .args(["-c", unpack])
        .arg(work)
        .arg(SONAME))
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|e| format!("cannot run python3: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text
        .trim()
        .lines()
        .last()
        .unwrap_or("no message")
        .to_owned();
    Err(format!("python3 failed: {last}"))
}
