import VitrineMath
import VitrineScene

/// Writes a scene as COLLADA 1.4.1 with its textures in separate files, or everything in a package (`.zae`).
///
/// Metres and +Y up; colours are sRGB-encoded, as programs of that age display them. Surfaces with metalness and roughness become Lambert or Blinn
/// surfaces (`BlinnApproximation`), with a warning. The dates that the format requires are constant, so that the same scene gives the same bytes.
struct COLLADAWriter {
    let contents: SceneContents
    var pool: TexturePool
    private let options: ModelWriteOptions
    var warnings: [ModelWarning]
    private let stem: String
    var text = XMLText()
    /// The entries whose camera or light is written.
    private var cameraIDs: [Int] = []
    private var lightIDs: [Int] = []
    /// In an animation, sources come first, then samplers, then channels.
    private var pendingSamplers: [(id: String, isCubic: Bool)] = []
    private var pendingChannels: [(sampler: String, target: String)] = []
    /// The nodes with an animated rotation or shear, which are written as one matrix.
    private var matrixNodes: Set<Int> = []

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
        guard isWhole else { throw contents.failure("the package would exceed the 4 GB that the format allows") }
        return archive.finished()
    }

    func fileName(ofImage index: Int) -> String { "\(stem)_\(index).\(pool.images[index].pathExtension)" }

    mutating func reportOmission(of feature: String, at location: String) {
        warnings.append(ModelWarning(location: location, message: "\(feature): not written"))
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
        text.leaf("authoring_tool", [], options.signature)
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

    /// Adds a `<source>` of numbers.
    mutating func addSource(_ id: String, _ values: [Float], _ parameters: [String], type: String = "float") {
        text.open("source", [("id", id)])
        text.leaf("float_array", [("id", id + "-array"), ("count", "\(values.count)")], floats: values)
        let stride = type == "float4x4" ? 16 : parameters.count
        addAccessor(id, count: stride == 0 ? 0 : values.count / stride, stride: stride, parameters, type: type)
        text.close()
    }

    /// Adds a `<source>` of names.
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

extension COLLADAWriter {
    mutating func addScene() {
        text.open("library_visual_scenes")
        text.open("visual_scene", Self.named("scene", contents.name))
        // Nodes to open, and nodes to close.
        var stack: [(entry: Int, isEnd: Bool)] = contents.roots.reversed().map { ($0, false) }
        while let (index, isEnd) = stack.popLast() {
            if isEnd {
                text.close()
                continue
            }
            addNode(index)
            stack.append((index, true))
            stack += contents.entries[index].children.reversed().map { ($0, false) }
        }
        text.close()
        text.close()
        text.open("scene")
        text.leaf("instance_visual_scene", [("url", "#scene")])
        text.close()
    }

    /// Adds a node and leaves the element open for the children.
    private mutating func addNode(_ index: Int) {
        let entry = contents.entries[index]
        let isJoint = contents.skins.contains { $0.joints.contains(index) }
        let id = Self.nodeID(index)
        text.open("node", Self.named(id, entry.node.name) + [("sid", id), ("type", isJoint ? "JOINT" : "NODE")])
        addTransform(index)
        if entry.node.camera != nil, cameraIDs.contains(index) { text.leaf("instance_camera", [("url", "#camera\(index)")]) }
        if let mesh = entry.mesh, !writtenParts(mesh).isEmpty { addMesh(index, mesh) }
        if entry.node.light != nil, lightIDs.contains(index) { text.leaf("instance_light", [("url", "#light\(index)")]) }
    }

    private mutating func addTransform(_ index: Int) {
        let entry = contents.entries[index]
        if matrixNodes.contains(index) {
            return text.leaf("matrix", [("sid", "transform")], floats: Self.rows(entry.parentFromLocal))
        }
        let local = entry.node.localTransform
        text.leaf("translate", [("sid", "translate")], floats: local.translation.array)
        let angle = local.rotation.normalized
        let axis = normalize(angle.imaginary)
        if axis != Vector3(repeating: 0) {
            let degrees = 2 * atan2(length(angle.imaginary), angle.real) * 180 / .pi
            text.leaf("rotate", [("sid", "rotate")], floats: axis.array + [degrees])
        }
        text.leaf("scale", [("sid", "scale")], floats: local.scale.array)
    }

    /// Finds the nodes that are written as one matrix. Other nodes, whose translation or scale is animated, are written as separate transforms.
    mutating func findMatrixNodes() {
        matrixNodes = Set(contents.entries.indices)
        for index in contents.entries.indices {
            let targets = contents.clips.flatMap { $0.tracks }.filter { $0.entry == index }.map { $0.track.target }
            let isPlain = contents.entries[index].node.localTransform.matrix == contents.entries[index].parentFromLocal
            if isPlain, targets.contains(.translation) || targets.contains(.scale), !targets.contains(.rotation) {
                matrixNodes.remove(index)
            }
        }
    }

    private mutating func addMesh(_ index: Int, _ mesh: Int) {
        if let controller = controllerID(index) {
            text.open("instance_controller", [("url", "#" + controller)])
            if let skin = contents.entries[index].skin, let root = skeletonRoot(skin) { text.leaf("skeleton", [], "#" + Self.nodeID(root)) }
        } else {
            text.open("instance_geometry", [("url", "#" + geometryID(mesh, target: nil))])
        }
        text.open("bind_material")
        text.open("technique_common")
        var seen: Set<Int> = []
        for part in writtenParts(mesh) {
            let material = contents.index(of: contents.parts[mesh][part].material)
            guard seen.insert(material).inserted else { continue }
            text.open("instance_material", [("symbol", "material\(material)"), ("target", "#material\(material)")])
            let sets = Set(contents.materials[material].textureMaps.map { $0.set })
            for set in sets.sorted() {
                text.leaf("bind_vertex_input", [("semantic", "UVSET\(set)"), ("input_semantic", "TEXCOORD"), ("input_set", "\(set)")])
            }
            text.close()
        }
        text.close()
        text.close()
        text.close()
    }
}

extension COLLADAWriter {
    /// The factor on the near distance that represents infinity.
    private static var farFactor: Float { 1e6 }

    mutating func addCamerasAndLights() {
        cameraIDs = contents.entries.indices.filter { contents.entries[$0].node.camera != nil }
        lightIDs = contents.entries.indices.filter { isWritten(light: $0) }
        if !cameraIDs.isEmpty {
            text.open("library_cameras")
            for index in cameraIDs { if let camera = contents.entries[index].node.camera { add(camera, index) } }
            text.close()
        }
        if !lightIDs.isEmpty {
            text.open("library_lights")
            for index in lightIDs { if let light = contents.entries[index].node.light { add(light, index) } }
            text.close()
        }
    }

    private mutating func add(_ camera: Camera, _ index: Int) {
        let entry = contents.entries[index]
        if camera.exposure != 0 { reportOmission(of: "the camera's exposure of \(camera.exposure) stops", at: entry.location) }
        var far = camera.far
        if !far.isFinite {
            far = max(camera.near, 0.001) * Self.farFactor
            warnings.append(
                ModelWarning(location: entry.location, message: "the far distance of the camera is infinite: written as \(far) m"))
        }
        text.open("camera", Self.named("camera\(index)", entry.node.name))
        text.open("optics")
        text.open("technique_common")
        switch camera.projection {
        case .perspective(let angle):
            text.open("perspective")
            // The aspect ratio of the camera, or else that of the window.
            if let aspect = camera.aspectRatio {
                text.leaf("xfov", floats: [2 * atan2(tan(angle.radians / 2) * aspect, 1) * 180 / .pi])
            }
            text.leaf("yfov", floats: [angle.degrees])
        case .orthographic(let scale):
            text.open("orthographic")
            if let aspect = camera.aspectRatio { text.leaf("xmag", floats: [scale * aspect]) }
            text.leaf("ymag", floats: [scale])
        }
        text.leaf("znear", floats: [camera.near])
        text.leaf("zfar", floats: [far])
        for _ in 0..<4 { text.close() }
    }

    // MARK: Lights

    private mutating func isWritten(light index: Int) -> Bool {
        guard let light = contents.entries[index].node.light else { return false }
        switch light.kind {
        case .ambient, .directional, .point, .spot: break
        default:
            reportOmission(of: "a light of the kind \(light.kind)", at: contents.entries[index].location)
            return false
        }
        let color = light.linearIntensity
        if !color.x.isFinite || !color.y.isFinite || !color.z.isFinite || color.min() < 0 {
            reportOmission(of: "a light whose colour is negative or not a number", at: contents.entries[index].location)
            return false
        }
        return true
    }

    private mutating func add(_ light: Light, _ index: Int) {
        let entry = contents.entries[index]
        if light.range != nil { reportOmission(of: "the light's range", at: entry.location) }
        text.open("light", Self.named("light\(index)", entry.node.name))
        text.open("technique_common")
        let intensity = light.linearIntensity
        switch light.kind {
        case .ambient:
            text.open("ambient")
            text.leaf("color", floats: Self.encoded(intensity))
        case .directional:
            text.open("directional")
            // π lux on a surface that faces the light give its colour.
            text.leaf("color", floats: Self.encoded(intensity / .pi))
        default:
            text.open(light.kind == .point ? "point" : "spot")
            let peak = intensity.max()
            text.leaf("color", floats: Self.encoded(peak > 0 ? intensity / peak : intensity))
            let share: Float = peak > 0 ? .pi / peak : 1
            let divisor: [Float] =
                switch light.attenuation {
                case .inverseSquare: [0, 0, share]
                case .polynomial(let constant, let linear, let quadratic): [constant * share, linear * share, quadratic * share]
                }
            for (name, value) in zip(["constant", "linear", "quadratic"], divisor) { text.leaf("\(name)_attenuation", floats: [value]) }
        }
        if case .spot(let inner, let outer) = light.kind {
            text.leaf("falloff_angle", floats: [2 * outer.degrees])
            let isHard = inner.radians >= outer.radians * 0.98
            let exponent = isHard ? 0 : COLLADAReader.exponent(ofInner: inner.radians, outer: outer.radians)
            if !isHard {
                warnings.append(
                    ModelWarning(location: entry.location, message: "the cone's soft edge: written as a fall-off of cos^\(exponent)"))
            }
            text.leaf("falloff_exponent", floats: [exponent])
        }
        for _ in 0..<3 { text.close() }
    }
}

extension COLLADAWriter {
    /// The number of pieces into which a segment of a curve is divided that a matrix cannot represent.
    private static var pieces: Int { 16 }

    mutating func addAnimations() {
        guard !contents.clips.isEmpty else { return }
        text.open("library_animations")
        for (number, clip) in contents.clips.enumerated() {
            text.open("animation", Self.named("animation\(number)", clip.name))
            add(clip, id: "animation\(number)")
            addSamplers()
            for channel in pendingChannels { text.leaf("channel", [("source", "#" + channel.sampler), ("target", channel.target)]) }
            pendingChannels = []
            text.close()
        }
        text.close()
        text.open("library_animation_clips")
        for (number, clip) in contents.clips.enumerated() {
            let end = clip.tracks.reduce(Float(0)) { max($0, $1.track.times.last ?? 0) }
            text.open("animation_clip", Self.named("clip\(number)", clip.name) + [("start", "0"), ("end", "\(end)")])
            text.leaf("instance_animation", [("url", "#animation\(number)")])
            text.close()
        }
        text.close()
    }

    private mutating func add(_ clip: SceneContents.ClipEntry, id: String) {
        var done: Set<Int> = []
        for (number, track) in clip.tracks.enumerated() {
            let own = "\(id)-\(number)"
            if track.track.target == .morphWeights {
                addWeights(track, id: own)
            } else if matrixNodes.contains(track.entry) {
                guard done.insert(track.entry).inserted else { continue }
                addMatrices(
                    clip.tracks.filter { $0.entry == track.entry && $0.track.target != .morphWeights }.map { $0.track }, track.entry,
                    id: own)
            } else {
                let name = track.track.target == .translation ? "translate" : "scale"
                addCurve(track.track, 0..<3, ["X", "Y", "Z"], target: "\(Self.nodeID(track.entry))/\(name)", id: own)
            }
        }
    }

    // MARK: Curves

    /// Adds some components of a track, unchanged: cubic ones as equivalent Bézier curves.
    private mutating func addCurve(_ track: AnimationTrack, _ components: Range<Int>, _ parameters: [String], target: String, id: String) {
        let (width, count) = (track.componentCount, track.times.count)
        let isCubic = track.interpolation == .cubic
        func value(_ key: Int, _ component: Int) -> Float { track.values[(isCubic ? key * 3 + 1 : key) * width + component] }
        addSource(id + "-input", track.times, ["TIME"])
        addSource(id + "-output", (0..<count).flatMap { key in components.map { value(key, $0) } }, parameters)
        let word = isCubic ? "BEZIER" : track.interpolation == .step ? "STEP" : "LINEAR"
        addSource(id + "-interpolation", names: Array(repeating: word, count: count), "INTERPOLATION")
        if isCubic {
            // Handles are at a third of the time.
            func handles(_ slot: Int, _ neighbour: Int) -> [Float] {
                var points: [Float] = []
                for key in 0..<count {
                    let other = min(max(key + neighbour, 0), count - 1)
                    let (time, first) = (track.times[key], (key * 3 + slot) * width)
                    let third = (track.times[other] - time) / 3
                    for component in components {
                        points.append(time + third)
                        points.append(value(key, component) + third * track.values[first + component])
                    }
                }
                return points
            }
            let names = parameters.flatMap { _ in ["X", "Y"] }
            addSource(id + "-in", handles(0, -1), names)
            addSource(id + "-out", handles(2, 1), names)
        }
        addSampler(id, isCubic: isCubic, target: target)
    }

    private mutating func addSampler(_ id: String, isCubic: Bool, target: String) {
        pendingSamplers.append((id, isCubic))
        pendingChannels.append((id, target))
    }

    mutating func addSamplers() {
        for (id, isCubic) in pendingSamplers { addSampler(id, isCubic: isCubic) }
        pendingSamplers = []
    }

    private mutating func addSampler(_ id: String, isCubic: Bool) {
        text.open("sampler", [("id", id)])
        text.leaf("input", [("semantic", "INPUT"), ("source", "#\(id)-input")])
        text.leaf("input", [("semantic", "OUTPUT"), ("source", "#\(id)-output")])
        text.leaf("input", [("semantic", "INTERPOLATION"), ("source", "#\(id)-interpolation")])
        if isCubic {
            text.leaf("input", [("semantic", "IN_TANGENT"), ("source", "#\(id)-in")])
            text.leaf("input", [("semantic", "OUT_TANGENT"), ("source", "#\(id)-out")])
        }
        text.close()
    }

    private mutating func addWeights(_ track: SceneContents.TrackEntry, id: String) {
        for index in 0..<track.track.componentCount {
            addCurve(
                track.track, index..<index + 1, ["MORPH_WEIGHT"], target: "morph\(track.entry)-weights-array(\(index))",
                id: "\(id)-\(index)")
        }
    }

    // MARK: Matrices

    /// Adds one matrix track for all tracks of a node, because a rotation has no fixed axis.
    private mutating func addMatrices(_ tracks: [AnimationTrack], _ entry: Int, id: String) {
        let isStepped = tracks.allSatisfy { $0.interpolation == .step }
        let times = Self.times(tracks, isStepped: isStepped)
        let node = contents.entries[entry].node
        let inversePivot = node.pivot.inverse
        var values: [Float] = []
        for time in times {
            let local = node.localTransform(at: time, tracks)
            values += Self.rows(node.pivot == .identity ? local.matrix : local.matrix * inversePivot)
        }
        addSource(id + "-input", times, ["TIME"])
        addSource(id + "-output", values, ["TRANSFORM"], type: "float4x4")
        addSource(id + "-interpolation", names: Array(repeating: isStepped ? "STEP" : "LINEAR", count: times.count), "INTERPOLATION")
        addSampler(id, isCubic: false, target: "\(Self.nodeID(entry))/transform")
    }

    private static func times(_ tracks: [AnimationTrack], isStepped: Bool) -> [Float] {
        var times: Set<Float> = []
        for track in tracks {
            times.formUnion(track.times)
            guard !isStepped else { continue }
            for (start, end) in zip(track.times, track.times.dropFirst()) {
                switch track.interpolation {
                case .linear: break
                case .step: times.insert(end.nextDown)
                case .cubic: for piece in 1..<pieces { times.insert(start + (end - start) * Float(piece) / Float(pieces)) }
                }
            }
        }
        return times.sorted()
    }
}
