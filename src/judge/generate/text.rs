//! Text before it means anything: numbers as they are written, conditions of the preprocessor; and bits and bytes
//! of classes.

use super::kernel::Kernel;

/// Numbers in all their spellings, and what their type makes of arithmetic.
pub fn numbers(k: &mut Kernel) {
    let (c, e) = (k.small(), k.constant());
    let number = k.random.below(40) as i64;
    let spelled = match k.random.below(6) {
        0 => format!("0{number:o}"),
        1 => format!("0x{number:x}"),
        2 => format!("0b{number:b}"),
        3 => format!("0X{number:X}u"),
        4 => format!("{}'000 / 1000", number + 1),
        _ => format!("{number}ULL"),
    };
    k.touch(&format!("t * ({spelled})"));
    let condition = match k.random.below(9) {
        0 => "0xffffffff + 1 == 0",
        1 => "0x80000000 - 1 > 0 && -1 > 0x80000000",
        2 => "2147483648 > -1",
        3 => "-1 < 0xffffffff",
        4 => "sizeof(037777777777) == 4",
        5 => "sizeof(4294967295) == 8",
        6 => "0x7fffffffffffffff + 1ull > 0",
        7 => "'\\377' < 0",
        _ => "'\\x41' == 0101",
    };
    k.touch(&format!("t * (({condition}) ? {c} : {e})"));
}

/// Conditions that the preprocessor decides.
pub fn conditions(k: &mut Kernel) {
    let (name, of) = (k.global_name("TEXT"), k.global_name("GIVEN"));
    let (c, e, value) = (k.constant(), k.small(), k.random.below(9));
    let condition = match k.random.below(12) {
        0 => format!("{of} & 4 == 4"),
        1 => format!("({of} & 4) == 4"),
        2 => format!("{of} | 1 && {of} > 3"),
        3 => format!("{of} << 2 + 1 > 20"),
        4 => format!("-1 > {of}u"),
        5 => format!("defined {of} && !defined({of}_NOT) && {of} % 3"),
        6 => format!("{of} ? {of} - 5 : 1"),
        7 => format!("{of} ^ 3 == 3 || {of}_NOT"),
        8 => format!("~{of} + 8 > 0"),
        9 => format!("'A' + {of} == 'E'"),
        10 => format!("{of} - 2 - 1 > 0"),
        _ => format!("{of} / 2 * 2 != {of}"),
    };
    let rest = match k.random.below(3) {
        0 => format!(
            "#elif {of} > 5\n#define {name} {}\n#else\n#define {name} {e}\n",
            e + 3
        ),
        1 => format!("#elif 1\n#define {name} {e}\n#elif 1\n#define {name} 29\n"),
        _ => format!("#else\n#define {name} {e}\n"),
    };
    k.head += &format!("#define {of} {value}\n#if {condition}\n#define {name} {c}\n{rest}#endif\n");
    k.touch(&format!("t * {name}"));
}

/// Bit-fields: where they lie, what they hold, and what arithmetic makes of them.
pub fn bit_fields(k: &mut Kernel) {
    let (class, o) = (k.global_name("Bits"), k.name("bits"));
    let widths: Vec<usize> = (0..4).map(|_| 2 + k.random.below(12)).collect();
    let types: Vec<&str> = (0..4)
        .map(|_| {
            k.pick(&[
                "unsigned",
                "int",
                "unsigned short",
                "unsigned char",
                "long long",
            ])
        })
        .collect();
    let mut members = String::new();
    for (at, (ty, width)) in types.iter().zip(&widths).enumerate() {
        let width = if *ty == "unsigned char" {
            width % 8 + 1
        } else {
            *width
        };
        members += &format!("  {ty} f{at} : {width};\n");
        if k.random.one_in(5) {
            members += "  unsigned : 0;\n";
        }
        if k.random.one_in(5) {
            members += &format!("  char plain{at};\n");
        }
    }
    k.head += &format!("struct {class} {{\n{members}}};\n");
    if k.random.one_in(3) {
        // What the list does not reach is zero, and what it does stays.
        let value = k.expression(1);
        k.line(&format!("{class} {o}{{({})({value})}};", types[0]));
    } else {
        k.line(&format!("{class} {o};"));
        for at in 0..4 {
            let value = k.expression(1);
            k.line(&format!("{o}.f{at} = {value};"));
        }
    }
    let (x, y) = (k.random.below(4), k.random.below(4));
    k.touch(&format!("t * (int){o}.f{x}"));
    match k.random.below(3) {
        0 => k.touch(&format!("t * (int)sizeof({class})")),
        1 => k.touch(&format!("t * ({o}.f{x} - {o}.f{y} < 0 ? 3 : 8)")),
        _ => {
            let by = k.small();
            k.line(&format!("{o}.f{y} += {by};"));
            k.touch(&format!("t * (int)({o}.f{x} ^ {o}.f{y})"));
        }
    }
}

/// Sizes and places of members: padding between them and at the end, vectors of three, bases.
pub fn paddings(k: &mut Kernel) {
    let class = k.global_name("Padded");
    let list = [
        "char",
        "short",
        "int",
        "float",
        "double",
        "float3",
        "int2",
        "float4",
        "uchar4",
        "short3",
        "double3",
        "unsigned char",
    ];
    let count = 2 + k.random.below(3);
    let mut members = String::new();
    for at in 0..count {
        let ty = k.pick(&list);
        let array = if k.random.one_in(5) { "[3]" } else { "" };
        // An alignment may stand behind the name.
        let behind = match k.random.below(10) {
            0 => " __attribute__((aligned(16)))",
            1 => " alignas(8)",
            _ => "",
        };
        let behind = if array.is_empty() && !ty.ends_with('4') && !ty.starts_with("double") {
            behind
        } else {
            ""
        };
        members += &format!("  {ty} m{at}{array}{behind};\n");
    }
    let (first, last) = (k.pick(&list), k.pick(&list));
    // What is derived lies in the padding of a class that is no structure of C.
    let base = match k.random.below(6) {
        0 => format!("struct {class}Base {{ {first} b; char e; }}"),
        1 => format!("class {class}Base {{ {first} b; char e; }}"),
        2 => format!("struct {class}Base {{ {first} b; protected: char e; }}"),
        3 => format!("struct {class}Base {{ {first} b; char e = 0; }}"),
        _ => format!("struct {class}Base {{ {first} b; }}"),
    };
    k.head += &format!("{base};\nstruct {class} : {class}Base {{\n{members}  {last} z;\n}};\n");
    let place = format!("(int)((char *)&(({class} *)b)->");
    let at = k.random.below(count);
    match k.random.below(4) {
        0 => k.touch(&format!("t * (int)sizeof({class})")),
        1 => k.touch(&format!("t * ({place}z - (char *)b))")),
        2 => k.touch(&format!("t * ({place}m{at} - (char *)b))")),
        _ => k.touch(&format!(
            "t * (int)alignof({class}) + (int)sizeof({class}Base)"
        )),
    }
    k.line(&format!("*(char *)&(({class} *)a)[t].z = 1;"));
}
