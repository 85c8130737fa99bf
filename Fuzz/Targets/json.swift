/// glTF as text: the JSON parser, and everything behind it with buffers in data URIs.
let jsonTarget = FuzzTarget.model(seeds: { [Array(text.utf8)] }, repair: { force([0x7B], on: &$0) })

/// A bit of everything, small.
private let text = """
    {"asset":{"version":"2.0","generator":"\\u00e9\\ud83d\\ude00"},"scene":0,"scenes":[{"nodes":[0]}],
    "nodes":[{"mesh":0,"skin":0,"children":[1,2]},{"rotation":[0,0,0,1],"camera":0},{"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],
    "extensions":{"KHR_lights_punctual":{"light":0}}}],"cameras":[{"type":"perspective","perspective":{"yfov":1e0,"znear":0.1}}],
    "extensionsUsed":["KHR_lights_punctual","KHR_texture_transform","KHR_materials_clearcoat"],
    "extensions":{"KHR_lights_punctual":{"lights":[{"type":"spot","spot":{"outerConeAngle":0.5}}]}},
    "meshes":[{"weights":[0.5],"primitives":[{"mode":4,"material":0,"indices":3,"attributes":{"POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2,
    "TEXCOORD_0":5},"targets":[{"POSITION":4}]}]}],"skins":[{"joints":[1,2]}],
    "materials":[{"alphaMode":"MASK","pbrMetallicRoughness":{"baseColorTexture":{"index":0,"extensions":{"KHR_texture_transform":
    {"offset":[0.5,-1e-3],"rotation":1,"scale":[2,2]}}}},"extensions":{"KHR_materials_clearcoat":{"clearcoatFactor":1}}}],
    "textures":[{"source":0,"sampler":0}],"samplers":[{"minFilter":9987,"wrapS":33071}],"images":[{"uri":"a%20b.png"}],
    "animations":[{"channels":[{"sampler":0,"target":{"node":1,"path":"translation"}},{"sampler":1,"target":{"node":0,"path":"weights"}}],
    "samplers":[{"input":6,"output":7},{"input":6,"output":6,"interpolation":"STEP"}]}],
    "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},{"componentType":5121,"count":3,"type":"VEC4"},
    {"bufferView":1,"componentType":5121,"normalized":true,"count":3,"type":"VEC4"},
    {"bufferView":1,"byteOffset":12,"componentType":5121,"count":3,"type":"SCALAR"},
    {"componentType":5126,"count":3,"type":"VEC3","sparse":{"count":1,"indices":{"bufferView":1,"componentType":5121},
    "values":{"bufferView":0}}},{"bufferView":0,"componentType":5123,"normalized":true,"count":3,"type":"VEC2"},
    {"bufferView":2,"componentType":5126,"count":2,"type":"SCALAR"},{"bufferView":0,"componentType":5126,"count":2,"type":"VEC3"}],
    "bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":16},{"buffer":0,"byteOffset":52,"byteLength":8}],
    "buffers":[{"byteLength":60,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\\
    /wAAAP8AAAD/AAAAAAECAAAAAAAAAIA/"}]}
    """
