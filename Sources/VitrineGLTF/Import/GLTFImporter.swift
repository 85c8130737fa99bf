import VitrineMath
import VitrineScene

/// A top-level array of the file; an absent one is empty.
struct JSONList {
    let value: JSONValue?

    init(_ parent: JSONValue?, _ key: StaticString) throws(GLTFError) {
        value = try parent?.array(key)
        for element in self { try element.requireObject() }
    }

    var count: Int { value?.count ?? 0 }
    subscript(index: Int) -> JSONValue? { value?[index] }
}

extension JSONList: Sequence {
    struct Iterator: IteratorProtocol {
        let value: JSONValue?
        var position = 0
        mutating func next() -> JSONValue? {
            guard let value, position < value.count else { return nil }
            position += 1
            return value[position - 1]
        }
    }

    func makeIterator() -> Iterator { Iterator(value: value) }
}

/// Turns one parsed document into scenes: what each step found lies here for the next.
final class GLTFImporter {
    let document: JSONDocument
    let root: JSONValue
    let limits: GLTFLimits
    let decoders: GLTFDecoders
    let supportedExtensions: [String]
    /// The GLB's binary chunk in `document.bytes`.
    let binary: Range<Int>?

    let accessorList, animationList, bufferList, bufferViewList, cameraList, imageList, lightList: JSONList
    let materialList, meshList, nodeList, samplerList, sceneList, skinList, textureList: JSONList

    var warnings: [GLTFWarning]
    private var droppedWarnings = 0
    /// `extensionsUsed`.
    var declaredExtensions: [String] = []

    /// The file's, then `unpackedBuffers`.
    var buffers: [GLTFBuffer] = []
    /// One for each compressed view.
    var unpackedBuffers: [GLTFBuffer] = []
    /// By buffer view.
    var dracoMeshes: [Int: DracoMesh] = [:]
    var bufferViews: [GLTFBufferView] = []
    var accessors: [GLTFAccessor] = []
    /// Decoded accessors, so that primitives that share one share its memory.
    var decodedAccessors: [[Float]?] = []
    var decodedBytes = 0
    private var steps = 0
    var resourceBytes = 0
    /// Buffers without bytes that a warning has named.
    var namedEmptyBuffers: Set<Int> = []

    var images: [GLTFImage] = []
    /// Copies of the pictures that lie in buffers, by buffer view.
    var pictures: [Int: [UInt8]] = [:]
    var textures: [Texture?] = []
    /// By image: the textures that show it.
    var texturesOfImages: [[Texture]] = []
    var usedTextures: [GLTFTexture] = []
    var materials: [Material] = []
    /// By material: the sets of texture coordinates that its textures read.
    var materialSets: [[Int]] = []
    let defaultMaterial = GLTFImporter.makeDefaultMaterial()
    var variantNames: [String] = []
    var meshes: [Mesh] = []
    /// By mesh: the greatest joint index of its vertices; nil where it has none.
    var greatestJoints: [Int?] = []
    var cameras: [Camera] = []
    /// nil for a light whose type is unknown.
    var lights: [Light?] = []
    var nodes: [GLTFNode] = []
    var skins: [GLTFSkin] = []
    var animations: [GLTFAnimation] = []

    init(
        _ document: JSONDocument, limits: GLTFLimits, decoders: GLTFDecoders = GLTFDecoders(), binary: Range<Int>?, warnings: [GLTFWarning]
    ) throws(GLTFError) {
        (self.decoders, supportedExtensions) = (decoders, decoders.supportedExtensions)
        (self.document, self.limits, self.binary, self.warnings) = (document, limits, binary, warnings)
        root = document.root
        try root.requireObject()
        // First: the arrays of version 1.0 are objects.
        try GLTFImporter.checkVersion(root)
        accessorList = try JSONList(root, "accessors")
        animationList = try JSONList(root, "animations")
        bufferList = try JSONList(root, "buffers")
        bufferViewList = try JSONList(root, "bufferViews")
        cameraList = try JSONList(root, "cameras")
        imageList = try JSONList(root, "images")
        lightList = try JSONList(root.extension("KHR_lights_punctual"), "lights")
        materialList = try JSONList(root, "materials")
        meshList = try JSONList(root, "meshes")
        nodeList = try JSONList(root, "nodes")
        samplerList = try JSONList(root, "samplers")
        sceneList = try JSONList(root, "scenes")
        skinList = try JSONList(root, "skins")
        textureList = try JSONList(root, "textures")
    }

    func asset(
        container: GLTFInfo.Container, resolve: (_ path: String) throws(GLTFError) -> [UInt8]
    ) throws(GLTFError) -> GLTFAsset {
        var info = try readInfo(container: container)
        declaredExtensions = info.extensionsUsed
        checkMembers()
        try readBuffers(container, resolve)
        try readBufferViews()
        try readAccessors()
        try readImages(resolve)
        checkTextures()
        try readMaterials()
        try readVariants()
        try readMeshes()
        try readCameras()
        try readLights()
        try readNodes()
        try readSkins()
        try readAnimations()
        let (scenes, defaultIndex) = try makeScenes()
        info.bufferBytes = bufferBytes
        if droppedWarnings > 0 { warnings.append(GLTFWarning(message: "\(droppedWarnings) more warnings")) }
        return GLTFAsset(
            scenes: scenes, defaultSceneIndex: defaultIndex, materials: materials + [defaultMaterial], textures: usedTextures, info: info,
            warnings: warnings)
    }

    func limitFailure(_ place: JSONValue, _ text: String) -> GLTFError {
        GLTFError(file: document.name, place: .property(place.pointer), reason: .limit(text))
    }

    /// Books work on data that other parts of the file may have had done already.
    func spend(_ count: Int, times: Int = 1, at place: JSONValue) throws(GLTFError) {
        let (product, overflow) = count.multipliedReportingOverflow(by: times)
        guard !overflow, product <= limits.steps - steps else {
            throw limitFailure(place, "going through the data takes more than \(limits.steps) steps")
        }
        steps += product
    }

    func warn(_ place: JSONValue, _ message: String) {
        guard warnings.count < limits.warnings else {
            droppedWarnings += 1
            return
        }
        warnings.append(GLTFWarning(place: place.pointer, message: message))
    }

    /// A factor that the specification bounds: a value outside is moved to the nearest inside.
    func factor(
        _ object: JSONValue?, _ key: StaticString, in range: ClosedRange<Float> = 0...1, default value: Float
    ) throws(GLTFError) -> Float {
        guard let object, let given = try object.float(key) else { return value }
        guard range.contains(given) else {
            if let member = object[key] { warn(member, "is outside its range and was moved to the nearest value inside") }
            return clamp(given, range.lowerBound, range.upperBound)
        }
        return given
    }
}

extension GLTFImporter {
    var usesQuantization: Bool { declaredExtensions.contains("KHR_mesh_quantization") }
}
