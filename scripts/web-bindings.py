#!/usr/bin/env python3
"""Writes Web/runtime/webgpu-layouts.js: layouts of webgpu.h's structures on wasm32, and the browser's names of its enumerations.

Usage: scripts/web-bindings.py [--check]      --check: fails if the file is out of date.
clang reports the offsets (-fdump-record-layouts); the header gives the enumerations. Run it after an update of wgpu-native.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parent.parent
output = root / "Web/runtime/webgpu-layouts.js"
include = subprocess.run(["pkg-config", "--variable=includedir", "wgpu-native"], check=True, capture_output=True, text=True).stdout.strip()
header = (Path(include) / "webgpu/webgpu.h").read_text()

# The structures that the bindings read by name; those inside them follow.
READ = """BindGroupDescriptor BindGroupLayoutDescriptor BufferDescriptor CommandEncoderDescriptor ComputePassDescriptor ComputePipelineDescriptor
PipelineLayoutDescriptor QuerySetDescriptor RenderPassDescriptor RenderPipelineDescriptor SamplerDescriptor ShaderModuleDescriptor ShaderSourceWGSL
TexelCopyBufferInfo TexelCopyBufferLayout TexelCopyTextureInfo TextureDescriptor TextureViewDescriptor Extent3D Color DeviceDescriptor
RequestDeviceCallbackInfo""".split()
# Those that they write.
WRITTEN = ["AdapterInfo", "Limits", "SupportedFeatures"]


def enumerations():
    """Enumerations as lists of the browser's names by value; '' where the browser has none."""
    found = {}
    for match in re.finditer(r"typedef enum WGPU(\w+) \{(.*?)\} WGPU\1", header, re.S):
        name, values = match.group(1), {}
        for constant, value in re.findall(rf"WGPU{name}_(\w+) = 0x([0-9A-Fa-f]+)", match.group(2)):
            number = int(value, 16)
            if constant != "Force32":
                values[number] = "" if constant in ("Undefined", "BindingNotUsed") else browser_name(name, constant)
        found[name] = [values.get(index, "") for index in range(max(values) + 1)]
        if "BindingNotUsed" in match.group(2):
            optional.add(name)
    return found


def browser_name(enumeration, constant):
    if enumeration == "TextureFormat":
        text = constant.lower()
        text = re.sub(r"(srgb|stencil8)$", r"-\1", text).removeprefix("-")
        text = re.sub(r"^(bc\dh?|bc\d)(rgba|rgb|rg|r)(unorm|snorm|ufloat|float)", r"\1-\2-\3", text)
        text = re.sub(r"^(etc2)-?(rgba8|rgb8a1|rgb8)(unorm)", r"\1-\2\3", text)
        text = re.sub(r"^(eac)-?(rg?11)(unorm|snorm)", r"\1-\2\3", text)
        return re.sub(r"^(astc)(\d+x\d+)(unorm)", r"\1-\2-\3", text)
    if enumeration == "VertexFormat":
        return re.sub(r"bgra$", "-bgra", constant.lower().replace("_", "-"))
    words = re.findall(r"[0-9]D|[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[0-9]+", constant)
    special = {"TextureCompressionBC": "texture-compression-bc", "TextureCompressionBCSliced3D": "texture-compression-bc-sliced-3d",
               "TextureCompressionASTCSliced3D": "texture-compression-astc-sliced-3d", "TextureCompressionETC2": "texture-compression-etc2",
               "Depth32FloatStencil8": "depth32float-stencil8", "ShaderF16": "shader-f16",
               "RG11B10UfloatRenderable": "rg11b10ufloat-renderable", "BGRA8UnormStorage": "bgra8unorm-storage",
               "Float32Filterable": "float32-filterable", "Float32Blendable": "float32-blendable",
               "CoreFeaturesAndLimits": "core-features-and-limits"}
    return special.get(constant) or "-".join(words).lower()


def layouts(names):
    """Fields of structures as (offset, type, name), one level deep, by clang."""
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write("#include <webgpu/webgpu.h>\n" + "".join(f"WGPU{name} v{i};\n" for i, name in enumerate(names)))
        source.flush()
        command = ["clang", "-target", "wasm32-unknown-none-wasm", f"-I{root}/scripts/embedded/include", f"-I{include}", "-Xclang",
                   "-fdump-record-layouts-complete", "-fsyntax-only", source.name]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for block in text.split("*** Dumping AST Record Layout"):
        lines = block.strip().split("\n")
        head = re.match(r"\s*0 \| struct WGPU(\w+)$", lines[0])
        if not head:
            continue
        fields = []
        for line in lines[1:]:
            # Exactly one level of indentation: fields of the structure itself.
            field = re.match(r"\s*(\d+) \|   (\S.*?) ?(\w+)$", line)
            if field:
                fields.append((int(field.group(1)), field.group(2).removeprefix("struct "), field.group(3)))
        size = re.search(r"\[sizeof=(\d+)", block)
        found[head.group(1)] = (fields, int(size.group(1)))
    return found


NUMBERS = {"uint16_t": "u16", "uint32_t": "u32", "int32_t": "i32", "uint64_t": "u64", "float": "f32", "double": "f64", "size_t": "u32",
           "WGPUBool": "bool", "WGPUOptionalBool": "maybe", "WGPUStringView": "text", "WGPUFlags": "u64"}


def described(fields, all_layouts, needed):
    rows, index = [], 0
    while index < len(fields):
        offset, kind, name = fields[index]
        index += 1
        if name in ("nextInChain", "chain"):
            continue
        if kind == "size_t" and name.endswith("Count") and index < len(fields) and fields[index][1].endswith("*"):
            element = fields[index][1].replace("const", "").replace("*", "").strip()
            rows.append((fields[index][2], offset, "[]" + row_kind(element, all_layouts, needed)))
            index += 1
        else:
            rows.append((name, offset, row_kind(kind, all_layouts, needed)))
    return rows


def row_kind(kind, all_layouts, needed):
    kind = kind.strip()
    if kind in NUMBERS:
        return NUMBERS[kind]
    if kind.endswith("*"):
        target = kind.replace("const", "").replace("*", "").replace("struct", "").strip().removeprefix("WGPU")
        if target in all_layouts:
            needed.append(target)
            return "*" + target
        return "u32"
    bare = kind.removeprefix("const ").removeprefix("WGPU")
    if bare in enums:
        used.add(bare)
        return ("?" if bare in optional else "=") + bare
    if bare in all_layouts:
        needed.append(bare)
        return "." + bare
    if re.search(rf"typedef struct WGPU{bare}Impl\*", header):
        return "@"
    if re.search(rf"typedef WGPUFlags WGPU{bare};", header):
        return "u64"
    if "Callback" in bare or kind.endswith(")") or kind == "void":
        return "u32"
    raise SystemExit(f"{sys.argv[0]}: a field of type '{kind}'")


optional, used = set(), set()
enums = enumerations()
names = sorted(set(re.findall(r"^typedef struct WGPU(\w+) \{", header, re.M)))
everything = layouts(names)
structs, queue = {}, READ + WRITTEN
while queue:
    name = queue.pop(0)
    if name not in structs and name != "StringView":
        needed = []
        structs[name] = described(everything[name][0], everything, needed)
        queue += needed
used.add("FeatureName")

lines = ["// Written by scripts/web-bindings.py from webgpu.h; do not edit.", "",
         "// Structures: fields as NAME OFFSET KIND. Kinds: numbers, text, =ENUMERATION, ?ENUMERATION (0: the whole structure is absent), @ handle,",
         "// .STRUCTURE inline, *STRUCTURE by pointer, [] an array: its count at the offset, then a pointer.", "export const layouts = {"]
for name in sorted(structs):
    fields = ",".join(f"{field} {offset} {kind}" for field, offset, kind in structs[name])
    lines.append(f'  {name}: "{everything[name][1]};{fields}",')
lines += ["};", "", "// The browser's names by the header's values.", "export const enumerations = {"]
for name in sorted(used):
    lines.append(f'  {name}: "{",".join(enums[name])}",')
lines += ["};", ""]
text = "\n".join(lines)
if "--check" in sys.argv:
    if not output.exists() or output.read_text() != text:
        sys.exit(f"error: {output.relative_to(root)} is out of date: run scripts/web-bindings.py")
else:
    output.write_text(text)
