"""cudalint over the CUDA sources of targets, with the flags of the rules that compile them.

    bazel build //... --aspects=//tools/cudalint:cudalint.bzl%cudalint --output_groups=cudalint

It works with every rule that has `srcs` and `copts`: `cuda_library` of rules_cuda, `cc_library`, and macros over them.
The sources of one target are analysed together, so that a launch in one file reaches a kernel in another. A target with
findings fails; `--keep_going` shows those of all targets.
"""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

_CUDA = (".cu", ".cuh", ".cu.cc", ".cu.cpp")

CudalintInfo = provider(
    doc = "What a target hands on to those that depend on it, as far as rules keep it from CcInfo.",
    fields = {"defines": "Depset of definitions that dependents see, too."},
)

CudalintOptionsInfo = provider(
    doc = "Options of `cudalint check`.",
    fields = {"value": "List of strings."},
)

def _options_impl(ctx):
    return [CudalintOptionsInfo(value = ctx.build_setting_value)]

# Set with `--//tools/cudalint:options=--level=info,--ignore=CL401`.
cudalint_options = rule(
    implementation = _options_impl,
    build_setting = config.string_list(flag = True),
)

# Bazel lays out links to the files, and cudalint follows no link out of a project: it gets copies. Findings show where
# Bazel shows what a failed action has said.
_COMMAND = """
set -eu
report=$PWD/$1 listed=$2 program=$PWD/$3
shift 3
copies=$(mktemp -d)
trap 'rm -rf "$copies"' EXIT
xargs -d '\\n' cp --parents --dereference --target-directory="$copies" < "$listed"
cd "$copies"
status=0
"$program" "$@" > "$report" || status=$?
test $status = 0 || cat "$report"
exit $status
"""

def _files(ctx, attribute):
    return getattr(ctx.rule.files, attribute, [])

def _strings(ctx, attribute):
    # A target with `select` shows its choice here; what Bazel has yet to expand, `$(…)`, is left out.
    return [word for word in getattr(ctx.rule.attr, attribute, None) or [] if "$(" not in word]

def _flags(target, ctx, defines):
    """The compile command's flags: those of the rule, then what CcInfo says of it and its dependencies."""
    flags = _strings(ctx, "copts") + ["-D" + define for define in defines]
    if CcInfo in target:
        context = target[CcInfo].compilation_context
        known = {define: True for define in defines}
        for field in ["defines", "local_defines"]:
            for define in getattr(context, field, depset()).to_list():
                if define not in known:
                    known[define] = True
                    flags.append("-D" + define)
        folders = {}
        for field in ["quote_includes", "includes", "system_includes", "external_includes"]:
            for folder in getattr(context, field, depset()).to_list():
                folders[folder] = True
        flags += ["-I" + folder for folder in folders]
    return flags

def _cudalint_impl(target, ctx):
    handed_on = depset(
        _strings(ctx, "defines"),
        transitive = [
            dependency[CudalintInfo].defines
            for dependency in getattr(ctx.rule.attr, "deps", None) or []
            if CudalintInfo in dependency
        ],
    )
    own = _files(ctx, "srcs") + _files(ctx, "hdrs") + _files(ctx, "textual_hdrs")
    sources = [file for file in own if file.basename.endswith(_CUDA)]
    if not sources:
        return [CudalintInfo(defines = handed_on)]

    report = ctx.actions.declare_file(ctx.label.name + ".cudalint.txt")
    headers = [target[CcInfo].compilation_context.headers] if CcInfo in target else []
    inputs = depset(own + ctx.files._config, transitive = headers)

    # A file of file names, for headers can be many.
    listed = ctx.actions.args()
    listed.use_param_file("%s", use_always = True)
    listed.set_param_file_format("multiline")
    listed.add_all(inputs)

    check = ctx.actions.args()
    check.add(ctx.file._program)
    check.add("check")

    # Bazel keeps results by itself, and a configuration that Bazel does not know of is not read.
    check.add("--no-cache")
    if ctx.files._config:
        check.add("--config", ctx.files._config[0])
    else:
        check.add("--isolated")
    check.add_all(ctx.attr._options[CudalintOptionsInfo].value)
    check.add_all(["--", "nvcc"])
    check.add_all(_flags(target, ctx, handed_on.to_list() + _strings(ctx, "local_defines")))
    check.add("-c")
    check.add_all(sources)

    ctx.actions.run_shell(
        mnemonic = "Cudalint",
        progress_message = "Checking the CUDA sources of %s" % ctx.label,
        inputs = inputs,
        tools = [ctx.file._program],
        outputs = [report],
        arguments = [report.path, listed, check],
        command = _COMMAND,
        # For the program on the PATH.
        use_default_shell_env = True,
    )
    return [CudalintInfo(defines = handed_on), OutputGroupInfo(cudalint = depset([report]))]

cudalint = aspect(
    implementation = _cudalint_impl,
    doc = "Checks each target with CUDA sources on the way along `deps`.",
    attr_aspects = ["deps"],
    attrs = {
        "_config": attr.label(default = ":config", allow_files = True),
        "_options": attr.label(default = ":options"),
        "_program": attr.label(default = ":program", allow_single_file = True, cfg = "exec"),
    },
)
