/// An array of JSON objects; empty if the array is absent.
struct JSONList {
    private let value: JSONValue?

    init(_ parent: JSONValue?, _ key: StaticString) throws(GLTFError) {
        value = try parent?.array(key)
        for element in self { try element.requireObject() }
    }

    var count: Int { value?.count ?? 0 }
    subscript(index: Int) -> JSONValue? { value?[index] }
}

extension JSONList: Sequence {
    struct Iterator: IteratorProtocol {
        fileprivate let value: JSONValue?
        private var position = 0

        fileprivate init(value: JSONValue?) { self.value = value }

        mutating func next() -> JSONValue? {
            guard let value, position < value.count else { return nil }
            position += 1
            return value[position - 1]
        }
    }

    func makeIterator() -> Iterator { Iterator(value: value) }
}

/// The root object of a glTF file with its top-level arrays, each checked to be an array of objects.
struct GLTFRoot {
    let json: JSONValue
    let accessors, animations, buffers, bufferViews, cameras, images, lights: JSONList
    let materials, meshes, nodes, samplers, scenes, skins, textures: JSONList

    init(_ json: JSONValue) throws(GLTFError) {
        self.json = json
        accessors = try JSONList(json, "accessors")
        animations = try JSONList(json, "animations")
        buffers = try JSONList(json, "buffers")
        bufferViews = try JSONList(json, "bufferViews")
        cameras = try JSONList(json, "cameras")
        images = try JSONList(json, "images")
        lights = try JSONList(json.extension("KHR_lights_punctual"), "lights")
        materials = try JSONList(json, "materials")
        meshes = try JSONList(json, "meshes")
        nodes = try JSONList(json, "nodes")
        samplers = try JSONList(json, "samplers")
        scenes = try JSONList(json, "scenes")
        skins = try JSONList(json, "skins")
        textures = try JSONList(json, "textures")
    }

    var counts: GLTFCounts {
        GLTFCounts(
            scenes: scenes.count, nodes: nodes.count, meshes: meshes.count, materials: materials.count, textures: textures.count,
            images: images.count, samplers: samplers.count, animations: animations.count, skins: skins.count, cameras: cameras.count,
            lights: lights.count, accessors: accessors.count, buffers: buffers.count, bufferViews: bufferViews.count)
    }
}
