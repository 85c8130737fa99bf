import VitrineGLTF
import VitrineMath
import VitrineScene

/// Reads USD: text (`.usda`), binary (`.usdc`) and packages (`.usdz`), with the layers that they bring in.
///
/// Composition: `USDComposer`. Read are transforms, meshes with their subsets, points, curves (as lines), simple shapes, point instancers,
/// UsdPreviewSurface materials, skeletons, blend shapes, cameras, lights, and motion of nodes, joints and blend weights as one clip.
/// Repairs and ignored parts are reported as warnings.
struct USDReader {
    var stage: USDStage
    let file: String
    let resources: USDLayers
    private let scene: Scene
    /// Metres of one unit of the stage.
    private let metres: Float
    var materials: [Material] = []
    var textures: [ParsedTexture] = []
    /// By the prim.
    var materialsByPrim: [Int: USDMaterial] = [:]
    var texturesByKey: [String: Texture] = [:]
    var images: [String: (bytes: [UInt8], index: Int)] = [:]
    /// Materials of prims without a binding, by their appearance.
    var plainMaterials: [String: Material] = [:]
    /// Of prims with the same opinions.
    var meshes: [String: Mesh?] = [:]
    var skeletons: [Int: USDSkeleton] = [:]
    /// By skeleton and bind transform.
    var skins: [String: Skin] = [:]
    /// Joints that a prim brings into the tree.
    var jointNodes: [Int: [Node]] = [:]
    private(set) var nodes: [Int: Node] = [:]
    private var tracks: [AnimationTrack] = []
    /// Prims whose nodes are finished when all nodes are there.
    var skinned: [(prim: Int, node: Node, skeleton: Int)] = []
    private var instancers: [(prim: Int, node: Node)] = []
    /// What holds prototypes until they are copied.
    private var held: [Node] = []
    private var hidesProxies = false
    /// Corners and offsets that meshes may still be made of, nodes that instancers may still copy.
    var geometryAllowance = 1 << 27
    private var copyAllowance = 1 << 18

    /// - Parameter resources: The files beside it.
    static func read(
        _ bytes: [UInt8], file: String, name: String, resources: ModelResources, options: ModelLoadOptions
    ) throws(ModelFileError) -> ParsedModel {
        let layers = USDLayers(bytes, file: file, resources: resources)
        let root = try layers.root(name: name)
        let stage = try USDStage(layers, root: root, choices: options.usdVariants)
        var reader = USDReader(stage: stage, file: file, layers: layers, scene: Scene(name: ModelFile.stem(name)))
        try reader.readScene()
        return ParsedModel(
            scene: reader.scene, materials: reader.materials, textures: reader.textures, warnings: reader.stage.warnings,
            variantSets: reader.stage.variantSets.map {
                ModelInspection.VariantSetEntry(node: $0.path, name: $0.name, choices: $0.choices, choice: $0.choice)
            })
    }

    private init(stage: USDStage, file: String, layers: USDLayers, scene: Scene) {
        (self.stage, self.file, resources, self.scene) = (stage, file, layers, scene)
        // A stage that says nothing is in centimetres.
        let metres = stage.metadata("metersPerUnit")?.number ?? 0.01
        self.metres = metres.isFinite && metres > 0 ? Float(metres) : 1
    }

    func failure(_ prim: Int, _ reason: String) -> ModelFileError {
        ModelFileError(file: file, place: stage.prims[prim].path, reason: .malformed(reason))
    }

    // MARK: The tree

    private mutating func readScene() throws(ModelFileError) {
        hidesProxies = stage.prims.indices.contains { stage.start($0, "purpose")?.text == "render" }
        let top = Node(name: "")
        top.transform = worldFromStage()
        let isMoved = top.transform != .identity
        let parent = isMoved ? top : scene.rootNode
        for root in stage.roots { try readTree(root, below: parent, top: parent) }
        if isMoved { scene.rootNode.addChildNode(top) }
        for (prim, node, skeleton) in skinned { try bind(prim, node, to: skeleton) }
        // Inner ones first: outer ones copy them.
        for (prim, node) in instancers.reversed() { try fill(node, prim, top: parent) }
        if !tracks.isEmpty { scene.animations = [AnimationClip(name: scene.name, tracks: tracks)] }
    }

    /// A prim with everything below it.
    ///
    /// - Parameter isWanted: also where it only would be a definition for others.
    mutating func readTree(_ prim: Int, below parent: Node, top: Node, isWanted: Bool = false) throws(ModelFileError) {
        var stack = [(prim: prim, parent: parent)]
        while let (prim, parent) = stack.popLast() {
            guard let node = try node(prim, isWanted: isWanted) else { continue }
            nodes[prim] = node
            if try place(node, prim) { parent.addChildNode(node) } else { top.addChildNode(node) }
            var below = node
            if stage.prims[prim].typeName == "PointInstancer" {
                below = Node(name: node.name)
                held.append(below)
                instancers.append((prim, node))
            }
            for child in stage.prims[prim].children.reversed() { stack.append((child, below)) }
        }
    }

    /// To metres and +Y up.
    private func worldFromStage() -> Matrix4 {
        let turn = stage.metadata("upAxis")?.text == "Z" ? Matrix3(Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0)) : .identity
        return Matrix4(Matrix3(turn.x * metres, turn.y * metres, turn.z * metres))
    }

    private static let definitions: Set<String> = [
        "Material", "Shader", "NodeGraph", "GeomSubset", "BlendShape", "SkelAnimation", "RenderSettings", "RenderProduct", "RenderVar",
        "Collection", "Backdrop", "LightFilter", "GenerativeProcedural",
    ]

    /// nil for prims that are no part of the tree that is seen.
    private mutating func node(_ prim: Int, isWanted: Bool) throws(ModelFileError) -> Node? {
        let (type, children) = (stage.prims[prim].typeName, stage.prims[prim].children)
        guard isWanted || stage.prims[prim].specifier == .define else { return nil }
        if stage.field(prim, "active")?.number == 0 || Self.definitions.contains(type) { return nil }
        if type == "Scope", !children.isEmpty, children.allSatisfy({ Self.definitions.contains(stage.prims[$0].typeName) }) { return nil }
        let purpose = stage.start(prim, "purpose")?.text
        if purpose == "guide" || (purpose == "proxy" && hidesProxies), type != "Skeleton" {
            return nil
        }
        let name = stage.field(prim, "displayName")?.text ?? stage.prims[prim].name
        let node = Node(name: name)
        if let visibility = stage.opinion(prim, "visibility") {
            if visibility.samples.count > 1 { stage.warn(prim, "visibility over time is not read: shown as at the start") }
            node.isHidden = visibility.start?.text == "invisible"
        }
        try fill(node, prim, type)
        return node
    }

    private mutating func fill(_ node: Node, _ prim: Int, _ type: String) throws(ModelFileError) {
        switch type {
        case "Mesh", "Points", "Cube", "Sphere", "Cylinder", "Cylinder_1", "Cone", "Capsule", "Capsule_1", "Plane", "BasisCurves",
            "HermiteCurves":
            try fill(node, withGeometryOf: prim)
        case "Camera": node.camera = camera(prim)
        case "Skeleton": try addJoints(of: prim, to: node)
        case "DistantLight", "SphereLight", "RectLight", "DiskLight", "CylinderLight": node.light = light(prim, type)
        case "DomeLight", "DomeLight_1": readDome(prim, node)
        case "Xform", "Scope", "SkelRoot", "PointInstancer", "": break
        default: stage.warn(prim, "\"\(MessageText.name(type))\" prims are not read")
        }
    }

    // MARK: Point instancers

    private static let maximumInstances = 1 << 17

    /// Copies of the prototypes, one for each point.
    private mutating func fill(_ node: Node, _ prim: Int, top: Node) throws(ModelFileError) {
        let prototypes = stage.targets(prim, "prototypes")
        guard let which = stage.value(prim, "protoIndices")?.integers, let places = stage.value(prim, "positions")?.floats else {
            return stage.warn(prim, "has no positions or no protoIndices")
        }
        guard which.count <= Self.maximumInstances else {
            throw failure(prim, "\(which.count) instances, \(Self.maximumInstances) are read")
        }
        let turns = stage.value(prim, "orientations")?.floats ?? []
        let scales = stage.value(prim, "scales")?.floats ?? []
        let ids = stage.value(prim, "ids")?.integers ?? []
        let hidden = Set(stage.value(prim, "invisibleIds")?.integers ?? [])
        for (index, number) in which.enumerated() where 3 * index + 3 <= places.count {
            guard !hidden.contains(index < ids.count ? ids[index] : Int32(index)) else { continue }
            guard number >= 0, Int(number) < prototypes.count, let source = try prototype(prototypes[Int(number)], top: top) else {
                stage.warn(prim, "an instance of a prototype that isn't there")
                continue
            }
            var linear = Matrix3.identity
            if 4 * index + 4 <= turns.count {
                linear = Matrix3(
                    Quaternion(vector: Vector4(turns[4 * index], turns[4 * index + 1], turns[4 * index + 2], turns[4 * index + 3]))
                        .normalized)
            }
            if 3 * index + 3 <= scales.count {
                linear = Matrix3(linear.x * scales[3 * index], linear.y * scales[3 * index + 1], linear.z * scales[3 * index + 2])
            }
            let place = Vector3(places[3 * index], places[3 * index + 1], places[3 * index + 2])
            guard (place * 0).sum() == 0, ((linear.x + linear.y + linear.z) * 0).sum() == 0 else { continue }
            let copy = source.clone()
            copy.forSubtree { _ in copyAllowance -= 1 }
            guard copyAllowance > 0 else { throw failure(prim, "more copies of prototypes than are read") }
            let holder = Node(name: "\(node.name)_\(index)")
            holder.transform = Matrix4(linear, translation: place)
            holder.addChildNode(copy)
            node.addChildNode(holder)
        }
    }

    /// A prototype's node; one that is only a definition is read now.
    private mutating func prototype(_ path: String, top: Node) throws(ModelFileError) -> Node? {
        guard let prim = stage.primOfPath[path] else { return nil }
        if let known = nodes[prim] { return known }
        let holder = Node(name: "")
        held.append(holder)
        try readTree(prim, below: holder, top: holder, isWanted: true)
        return nodes[prim]
    }
}

extension USDReader {
    /// One of a prim's operations.
    private struct Operation {
        /// `xformOp:rotateXYZ:name`
        let kind: String
        let isInverse: Bool
        let opinion: USDStage.Opinion

        func matrix(at time: Double?) -> Matrix4? {
            let values = time.map { Self.numbers(opinion, at: $0) } ?? opinion.start?.numbers
            guard let values, values.allSatisfy({ $0.isFinite }), let matrix = USDReader.operation(kind, values.map { Float($0) }) else {
                return nil
            }
            return isInverse ? matrix.affineInverse : matrix
        }

        /// Straight between two samples.
        static func numbers(_ opinion: USDStage.Opinion, at time: Double) -> [Double]? {
            guard let next = opinion.samples.firstIndex(where: { $0.time >= time }) else {
                return opinion.samples.last?.value.numbers ?? opinion.value?.numbers
            }
            let (after, before) = (opinion.samples[next], opinion.samples[max(0, next - 1)])
            guard next > 0, let a = before.value.numbers, let b = after.value.numbers, a.count == b.count, after.time > before.time else {
                return after.value.numbers
            }
            let share = (time - before.time) / (after.time - before.time)
            return zip(a, b).map { $0 + ($1 - $0) * share }
        }

        /// Degrees that it turns by between two times.
        func turn(from: Double, to: Double) -> Double {
            guard kind.hasPrefix("rotate"), let a = Self.numbers(opinion, at: from), let b = Self.numbers(opinion, at: to) else { return 0 }
            // Not finite ones are found later.
            let turn = zip(a, b).reduce(0) { max($0, abs($1.1 - $1.0)) }
            return turn.isFinite ? min(turn, 1e6) : 0
        }
    }

    private static let maximumKeys = 1 << 16

    /// Puts a node where its prim's operations say, over time too.
    ///
    /// - Returns: false where it stands in the stage's frame, not in its parent's.
    mutating func place(_ node: Node, _ prim: Int) throws(ModelFileError) -> Bool {
        guard let names = stage.value(prim, "xformOpOrder")?.texts else { return true }
        var isInParent = true
        var operations: [Operation] = []
        for name in names.prefix(256) {
            if name == "!resetXformStack!" {
                // Like OpenUSD, ignore the operations before it.
                if !operations.isEmpty { stage.warn(prim, "!resetXformStack! is not the first operation; those before it were left out") }
                operations = []
                isInParent = false
                continue
            }
            guard !name.hasPrefix("!resetXformStack!") else {
                stage.warn(prim, "\"\(MessageText.name(name))\" is not an operation and was left out")
                continue
            }
            let isInverse = name.hasPrefix("!invert!")
            let attribute = isInverse ? String(name.dropFirst(8)) : name
            let parts = attribute.split(separator: ":")
            guard parts.count > 1, parts[0] == "xformOp", let opinion = stage.opinion(prim, attribute) else {
                stage.warn(prim, "the operation \(MessageText.name(attribute)) has no value")
                continue
            }
            let operation = Operation(kind: String(parts[1]), isInverse: isInverse, opinion: opinion)
            guard operation.matrix(at: nil) != nil else {
                stage.warn(prim, "the operation \(MessageText.name(attribute)) is not read")
                continue
            }
            operations.append(operation)
        }
        let start = operations.reduce(Matrix4.identity) { $0 * ($1.matrix(at: nil) ?? .identity) }
        guard [start.x, start.y, start.z, start.w].allSatisfy({ ($0 * 0).sum() == 0 }) else {
            stage.warn(prim, "the transform is not finite")
            return isInParent
        }
        node.transform = start
        animate(node, prim, operations)
        return isInParent
    }

    /// Tracks of translation, rotation and scale.
    private mutating func animate(_ node: Node, _ prim: Int, _ operations: [Operation]) {
        guard operations.contains(where: { $0.opinion.samples.count > 1 }) else { return }
        let times = keyTimes(operations)
        var (moves, turns, scales): ([Float], [Float], [Float]) = ([], [], [])
        var last = Quaternion.identity
        var isSheared = false
        for time in times {
            let matrix = operations.reduce(Matrix4.identity) { $0 * ($1.matrix(at: time) ?? .identity) }
            var parts = USDMatrixParts(matrix)
            isSheared = isSheared || parts.isSheared
            if !turns.isEmpty, dot(last.vector, parts.rotation.vector) < 0 { parts.rotation = Quaternion(vector: -parts.rotation.vector) }
            last = parts.rotation
            moves += [parts.translation.x, parts.translation.y, parts.translation.z]
            turns += [last.vector.x, last.vector.y, last.vector.z, last.vector.w]
            scales += [parts.scale.x, parts.scale.y, parts.scale.z]
        }
        if isSheared { stage.warn(prim, "shear over time is not read") }
        guard (moves + turns + scales).allSatisfy(\.isFinite) else { return stage.warn(prim, "the transform is not finite over time") }
        let seconds = times.map { Float($0) }
        add(node, .translation, seconds, moves)
        add(node, .rotation, seconds, turns)
        add(node, .scale, seconds, scales)
    }

    /// One track, unless it stands still; where the node is at the start it has been put already.
    mutating func add(_ node: Node, _ target: AnimationTarget, _ times: [Float], _ values: [Float]) {
        guard !times.isEmpty, values.count % times.count == 0 else { return }
        let width = values.count / times.count
        let isStill = values.indices.allSatisfy { values[$0] == values[$0 % width] }
        guard !isStill, let track = AnimationTrack(node: node, target: target, interpolation: .linear, times: times, values: values) else {
            return
        }
        tracks.append(track)
    }

    /// Of all operations, with more between where something turns far: rotations go the shorter way.
    private func keyTimes(_ operations: [Operation]) -> [Double] {
        let all = Set(operations.flatMap { $0.opinion.samples.map(\.time) }).sorted().prefix(Self.maximumKeys)
        var result: [Double] = []
        for time in all {
            if let last = result.last {
                let turn = operations.reduce(0) { $0 + $1.turn(from: last, to: time) }
                let steps = min(64, max(1, Int((turn / 60).rounded(.up))))
                for step in 1..<max(steps, 1) where result.count < Self.maximumKeys {
                    result.append(last + (time - last) * Double(step) / Double(steps))
                }
            }
            // Two times may be one as floats.
            if let last = result.last, Float(last) >= Float(time) { continue }
            result.append(time)
        }
        return result
    }

    private static func operation(_ kind: String, _ v: [Float]) -> Matrix4? {
        func turn(_ degrees: Float, _ axis: Vector3) -> Matrix3 { Matrix3(Quaternion(angle: .degrees(degrees), axis: axis)) }
        let axes = [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)]
        switch (kind, v.count) {
        case ("transform", 16): return Matrix4(rows: v)
        case ("translate", 3): return Matrix4(translation: Vector3(v[0], v[1], v[2]))
        case ("translateX", 1): return Matrix4(translation: Vector3(v[0], 0, 0))
        case ("translateY", 1): return Matrix4(translation: Vector3(0, v[0], 0))
        case ("translateZ", 1): return Matrix4(translation: Vector3(0, 0, v[0]))
        case ("scale", 3): return Matrix4(scale: Vector3(v[0], v[1], v[2]))
        case ("scaleX", 1): return Matrix4(scale: Vector3(v[0], 1, 1))
        case ("scaleY", 1): return Matrix4(scale: Vector3(1, v[0], 1))
        case ("scaleZ", 1): return Matrix4(scale: Vector3(1, 1, v[0]))
        case ("rotateX", 1): return Matrix4(turn(v[0], axes[0]))
        case ("rotateY", 1): return Matrix4(turn(v[0], axes[1]))
        case ("rotateZ", 1): return Matrix4(turn(v[0], axes[2]))
        // Kept x, y, z, w.
        case ("orient", 4): return Matrix4(Matrix3(Quaternion(vector: Vector4(v[0], v[1], v[2], v[3])).normalized))
        default:
            guard kind.hasPrefix("rotate"), kind.count == 9, v.count == 3 else { return nil }
            // The first letter turns first.
            var result = Matrix3.identity
            for letter in kind.suffix(3) {
                guard let axis = ["X", "Y", "Z"].firstIndex(of: String(letter)) else { return nil }
                result = turn(v[axis], axes[axis]) * result
            }
            return Matrix4(result)
        }
    }
}

extension Matrix4 {
    /// From USD's 16 numbers: its rows are our columns.
    init(rows v: some RandomAccessCollection<Float>) {
        let v = Array(v)
        self.init(
            Vector4(v[0], v[1], v[2], v[3]), Vector4(v[4], v[5], v[6], v[7]), Vector4(v[8], v[9], v[10], v[11]),
            Vector4(v[12], v[13], v[14], v[15]))
    }
}

/// A transform taken apart.
struct USDMatrixParts {
    var translation: Vector3
    var rotation: Quaternion
    var scale: Vector3
    /// What the three can't say.
    var isSheared: Bool

    init(_ matrix: Matrix4) {
        translation = matrix.translation
        let m = matrix.linear
        var lengths = Vector3(length(m.x), length(m.y), length(m.z))
        // A mirror is a scale of −1 along x.
        if m.determinant < 0 { lengths.x = -lengths.x }
        scale = lengths
        func unit(_ vector: Vector3, _ length: Float, _ fallback: Vector3) -> Vector3 { length == 0 ? fallback : vector / length }
        let (x, y, z) = (
            unit(m.x, lengths.x, Vector3(1, 0, 0)), unit(m.y, lengths.y, Vector3(0, 1, 0)), unit(m.z, lengths.z, Vector3(0, 0, 1))
        )
        rotation = Quaternion(Matrix3(x, y, z)).normalized
        isSheared = max(abs(dot(x, y)), abs(dot(y, z)), abs(dot(z, x))) > 1e-3
    }
}

extension USDReader {
    /// After UsdGeomCamera: focal length and apertures in tenths of a unit, looking along −Z.
    func camera(_ prim: Int) -> Camera {
        func number(_ name: String, _ fallback: Float) -> Float {
            let value = stage.start(prim, name)?.float ?? fallback
            return value.isFinite && value > 0 ? value : fallback
        }
        let (width, height) = (number("horizontalAperture", 20.955), number("verticalAperture", 15.2908))
        var camera = Camera()
        if stage.start(prim, "projection")?.text == "orthographic" {
            camera.projection = .orthographic(scale: height / 20 * metres)
        } else {
            camera.projection = .perspective(fieldOfView: .radians(2 * atan2(height, 2 * number("focalLength", 50))))
        }
        camera.aspectRatio = width / height
        let range = stage.start(prim, "clippingRange")?.floats ?? [1, 1_000_000]
        if range.count == 2, range[0] > 0, range[1] > range[0] { (camera.near, camera.far) = (range[0] * metres, range[1] * metres) }
        let exposure = stage.start(prim, "exposure")?.float ?? 0
        if exposure.isFinite { camera.exposure = exposure }
        let (stop, focus) = (stage.start(prim, "fStop")?.float ?? 0, stage.start(prim, "focusDistance")?.float ?? 0)
        if stop > 0, focus > 0, (stop + focus).isFinite {
            // A tenth of a unit in millimetres.
            camera.lens = Lens(focusDistance: focus * metres, fNumber: stop, sensorHeight: height * metres * 100)
        }
        return camera
    }

    /// After UsdLux: intensity · 2^exposure is luminance, in nits, of the light's surface; shown as seen from afar.
    mutating func light(_ prim: Int, _ type: String) -> Light {
        // Older files have no "inputs:".
        func value(_ name: String) -> USDField? { stage.start(prim, "inputs:\(name)") ?? stage.start(prim, name) }
        func number(_ name: String, _ fallback: Float) -> Float {
            let value = value(name)?.float ?? fallback
            return value.isFinite ? value : fallback
        }
        let rgb = value("color")?.floats ?? [1, 1, 1]
        let color = rgb.count == 3 && rgb.allSatisfy(\.isFinite) ? Color(linear: Vector4(rgb[0], rgb[1], rgb[2], 1)) : .white
        let luminance = number("intensity", type == "DistantLight" ? 50_000 : 1) * exp2(clamp(number("exposure", 0), -64, 64))
        let isNormalized = value("normalize")?.number == 1
        let temperature = value("enableColorTemperature")?.number == 1 ? number("colorTemperature", 6500) : nil
        var light = Light(.directional, color: color, temperature: temperature)
        if type == "DistantLight" {
            // The disc that it shines from, π sin² of half its angle, seen straight on.
            let angle = clamp(number("angle", 0.53), 0, 180)
            let half = sin(angle * Float.pi / 360)
            light.intensity = isNormalized || half == 0 ? luminance : luminance * Float.pi * half * half
            light.angularDiameter = .degrees(angle)
            return light
        }
        let area = self.area(type, number)
        // Normalized: over the whole surface.
        let nits = isNormalized ? luminance / area.whole : luminance
        switch type {
        case "RectLight":
            light.kind = .rectangle(width: size("width", 1, number), height: size("height", 1, number))
            light.intensity = nits
        case "DiskLight":
            light.kind = .disc(radius: size("radius", 0.5, number))
            light.intensity = nits
        default:
            // What a direction gets is the area that it sees.
            light.kind = .point
            light.intensity = nits * area.seen
            if type == "CylinderLight" {
                stage.warn(prim, "a cylinder light is shown as a point light")
            } else if value("treatAsPoint")?.number != 1 {
                light.radius = size("radius", 0.5, number)
            }
        }
        let cone = number("shaping:cone:angle", 90)
        if cone < 90, cone > 0 {
            if light.kind != .point { stage.warn(prim, "an area light with a cone is shown as a spot light") }
            if light.kind != .point { light.intensity = nits * area.seen }
            let inner = cone * (1 - clamp(number("shaping:cone:softness", 0), 0, 0.999))
            light.kind = .spot(inner: .degrees(min(inner, cone * 0.999)), outer: .degrees(cone))
        }
        return light
    }

    /// Metres, above 0.
    private func size(_ name: String, _ fallback: Float, _ number: (String, Float) -> Float) -> Float {
        max(number(name, fallback), 1e-6) * metres
    }

    /// The area of a light's surface, and of its projection to the front, in square metres.
    private func area(_ type: String, _ number: (String, Float) -> Float) -> (whole: Float, seen: Float) {
        let radius = size("radius", 0.5, number)
        switch type {
        case "RectLight":
            let area = size("width", 1, number) * size("height", 1, number)
            return (area, area)
        case "DiskLight": return (Float.pi * radius * radius, Float.pi * radius * radius)
        case "CylinderLight":
            let length = size("length", 1, number)
            return (2 * Float.pi * radius * length, 2 * radius * length)
        default: return (4 * Float.pi * radius * radius, Float.pi * radius * radius)
        }
    }

    /// The first dome light is the environment.
    mutating func readDome(_ prim: Int, _ node: Node) {
        guard scene.environment.image == nil else { return stage.warn(prim, "only the first dome light is read") }
        func value(_ name: String) -> USDInput? { follow(prim, "inputs:\(name)") ?? follow(prim, name) }
        func field(_ name: String) -> USDField? { if case .value(let field, _)? = value(name) { field } else { nil } }
        let rgb = field("color")?.floats ?? [1, 1, 1]
        let exposure = clamp(field("exposure")?.float ?? 0, -64, 64)
        let strength = (field("intensity")?.float ?? 1) * exp2(exposure)
        guard rgb.count == 3, (rgb + [strength]).allSatisfy(\.isFinite) else { return stage.warn(prim, "its numbers are not finite") }
        guard case .value(let file, let site)? = value("texture:file"), let path = file.text, !path.isEmpty else {
            // One colour all around.
            node.light = Light(.ambient, color: Color(linear: Vector4(rgb[0], rgb[1], rgb[2], 1)), intensity: strength)
            return
        }
        scene.environment.intensity = strength
        do throws(FileError) {
            let bytes = try resources.file(path, from: site.document)
            do throws(ImageFileError) {
                scene.environment.image = try ImageFile.decode(bytes, name: path)
            } catch {
                stage.warn(prim, "the image \"\(MessageText.name(path, limit: 200))\" was left out: \(error.reason)")
            }
        } catch {
            stage.warn(prim, "the image \"\(MessageText.name(path, limit: 200))\" was left out: \(error.reason)")
        }
        if rgb != [1, 1, 1] { stage.warn(prim, "an image's tint is not read") }
        if let format = field("texture:format")?.text, format != "latlong", format != "automatic" {
            stage.warn(prim, "an image laid out as \"\(MessageText.name(format))\" is read as latitudes and longitudes")
        }
        // Turned about the vertical only.
        let ahead = node.transform.transform(direction: Vector3(1, 0, 0))
        scene.environment.rotation = .radians(atan2(-ahead.z, ahead.x))
    }
}
