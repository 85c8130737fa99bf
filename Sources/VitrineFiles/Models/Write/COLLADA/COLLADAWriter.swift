import VitrineMath
import VitrineScene

/// A scene as COLLADA 1.4.1 with its textures in files beside it, or all of it in a package (`.zae`).
///
/// Metres and +Y up; colours are sRGB-encoded, as programs of that age show them. Surfaces with metalness and roughness become Lambert or
/// Blinn ones (`BlinnApproximation`), with a warning. The dates that the format wants are always the same, so that the same scene gives the same bytes.
struct COLLADAWriter {
    let contents: SceneContents
    var pool: TexturePool
    let options: ModelWriteOptions
    var warnings: [ModelWarning]
    let stem: String
    var text = XMLText()
    /// Entries whose camera or light is written.
    var cameraIDs: [Int] = []
    var lightIDs: [Int] = []
    /// In an animation sources come first, then samplers, then channels.
    var pendingSamplers: [(id: String, isCubic: Bool)] = []
    var pendingChannels: [(sampler: String, target: String)] = []
    /// Nodes whose rotation is animated, or that have shear: written as one matrix.
    var matrixNodes: Set<Int> = []

    static func write(
        _ contents: SceneContents, pool: TexturePool, options: ModelWriteOptions, name: String
    ) throws(ModelFileError) -> EncodedModel {
        var writer = COLLADAWriter(contents: contents, pool: pool, options: options, name: name)
        let isPackage = name.lowercased().hasSuffix(".zae")
        let document = try writer.document()
        let documentName = isPackage ? writer.stem + ".dae" : name
        var files = [EncodedModel.File(name: documentName, bytes: document)]
        for (index, image) in writer.pool.images.enumerated() {
            files.append(.init(name: writer.fileName(ofImage: index), bytes: image.bytes))
        }
        guard isPackage else { return EncodedModel(files: files, warnings: writer.warnings) }
        return EncodedModel(
            files: [.init(name: name, bytes: try packed(files, contents: contents))], warnings: writer.warnings)
    }

    private init(contents: SceneContents, pool: TexturePool, options: ModelWriteOptions, name: String) {
        (self.contents, self.pool, self.options) = (contents, pool, options)
        warnings = contents.warnings + contents.losses([.opacity])
        stem = ModelFile.stem(name)
    }

    private static func packed(_ files: [EncodedModel.File], contents: SceneContents) throws(ModelFileError) -> [UInt8] {
        var archive = ZipStore()
        var manifest = XMLText()
        manifest.leaf("dae_root", [("xmlns", "http://www.collada.org/2008/03/COLLADASchema")], PercentEscapes.encoded("./" + files[0].name))
        var isWhole = archive.add("manifest.xml", manifest.bytes)
        for file in files { isWhole = archive.add(file.name, file.bytes) && isWhole }
        guard isWhole else { throw contents.failure("the package would outgrow the 4 GB that the format allows") }
        return archive.finished()
    }

    func fileName(ofImage index: Int) -> String { "\(stem)_\(index).\(pool.images[index].pathExtension)" }

    mutating func leaveOut(_ what: String, at place: String) {
        warnings.append(ModelWarning(place: place, message: "\(what): not written"))
    }

    // MARK: The document

    private mutating func document() throws(ModelFileError) -> [UInt8] {
        findMatrixNodes()
        text.open("COLLADA", [("xmlns", "http://www.collada.org/2005/11/COLLADASchema"), ("version", "1.4.1")])
        addAsset()
        let materials = try writtenMaterials()
        addImages()
        for library in materials { addLibrary(library) }
        addGeometries()
        addControllers()
        addCamerasAndLights()
        addAnimations()
        addScene()
        text.close()
        return text.bytes
    }

    private mutating func addAsset() {
        text.open("asset")
        text.open("contributor")
        text.leaf("authoring_tool", [], options.generator)
        text.close()
        text.leaf("created", [], "2000-01-01T00:00:00Z")
        text.leaf("modified", [], "2000-01-01T00:00:00Z")
        text.leaf("unit", [("name", "meter"), ("meter", "1")])
        text.leaf("up_axis", [], "Y_UP")
        text.close()
    }

    private mutating func addImages() {
        guard !pool.images.isEmpty else { return }
        text.open("library_images")
        for index in pool.images.indices {
            text.open("image", [("id", "image\(index)"), ("name", pool.images[index].name)])
            text.leaf("init_from", [], PercentEscapes.encoded(fileName(ofImage: index)))
            text.close()
        }
        text.close()
    }

    // MARK: Sources

    /// A `<source>` of numbers.
    mutating func addSource(_ id: String, _ values: [Float], _ parameters: [String], type: String = "float") {
        text.open("source", [("id", id)])
        text.leaf("float_array", [("id", id + "-array"), ("count", "\(values.count)")], floats: values)
        let stride = type == "float4x4" ? 16 : parameters.count
        addAccessor(id, count: stride == 0 ? 0 : values.count / stride, stride: stride, parameters, type: type)
        text.close()
    }

    /// A `<source>` of names.
    mutating func addSource(_ id: String, names: [String], _ parameter: String, kind: String = "Name_array", type: String = "name") {
        text.open("source", [("id", id)])
        text.leaf(kind, [("id", id + "-array"), ("count", "\(names.count)")], names.joined(separator: " "))
        addAccessor(id, count: names.count, stride: 1, [parameter], type: type)
        text.close()
    }

    private mutating func addAccessor(_ id: String, count: Int, stride: Int, _ parameters: [String], type: String) {
        text.open("technique_common")
        text.open("accessor", [("source", "#\(id)-array"), ("count", "\(count)"), ("stride", "\(stride)")])
        for name in parameters { text.leaf("param", [("name", name), ("type", type)]) }
        text.close()
        text.close()
    }
}
