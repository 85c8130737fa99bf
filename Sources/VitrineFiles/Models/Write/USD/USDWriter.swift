import VitrineMath
import VitrineScene

/// Writes a scene as a USD layer: metres, +Y up, one root prim that is the default prim, the nodes below it, and the materials in a scope.
///
/// Based on OpenUSD's schemas (UsdGeom, UsdShade) and the "UsdPreviewSurface Specification" (Pixar), within the limits of ARKit's readers: meshes
/// without subdivision, PNG and JPEG textures, one surface shader per material.
struct USDWriter {
    let contents: SceneContents
    var pool: TexturePool
    private let options: ModelWriteOptions
    var layer = USDLayer()
    var warnings: [ModelWarning]
    /// The prefix of the names of textures.
    private let texturePrefix: String
    /// The paths of the materials, in the order of `contents.materials`.
    private var materialPaths: [String] = []
    /// The paths of the parts of each mesh that several nodes use.
    private var prototypes: [Int: [String]] = [:]
    /// The uses of each material.
    private(set) var usesOfMaterials: [MaterialUse]
    /// The animation.
    let motion: USDMotion
    /// The skeletons: first those of skins, then one for each mesh with blend shapes without a skin.
    private var skeletons: [USDSkeletonPlan] = []

    /// The use of a material by parts.
    struct MaterialUse {
        var isUsed = false
        /// Whether all parts have vertex colours.
        var hasColoursEverywhere = true
    }

    init(_ contents: SceneContents, pool: TexturePool, options: ModelWriteOptions, texturePrefix: String) {
        (self.contents, self.pool, self.options, self.texturePrefix) = (contents, pool, options, texturePrefix)
        warnings = contents.warnings + contents.losses(.opacity)
        usesOfMaterials = Array(repeating: MaterialUse(), count: contents.materials.count)
        for part in contents.parts.joined() {
            let index = contents.index(of: part.material)
            usesOfMaterials[index].isUsed = true
            if part.geometry.attribute(.color(set: 0)) == nil { usesOfMaterials[index].hasColoursEverywhere = false }
        }
        motion = USDMotion(contents)
        warnings += motion.warnings
    }

    /// Writes a package: the binary layer first, then the textures.
    static func usdz(
        _ contents: SceneContents, pool: TexturePool, options: ModelWriteOptions, name: String
    ) throws(ModelFileError) -> EncodedModel {
        var writer = USDWriter(contents, pool: pool, options: options, texturePrefix: "textures/texture_")
        try writer.build()
        var archive = ZipStore()
        var isWhole = archive.add("model.usdc", CrateWriter.write(writer.layer))
        for (index, image) in writer.pool.images.enumerated() {
            isWhole = isWhole && archive.add(writer.fileName(ofImage: index), image.bytes)
        }
        guard isWhole else { throw contents.failure("the package would exceed 4 GB") }
        return EncodedModel(files: [.init(name: name, bytes: archive.finished())], warnings: writer.warnings)
    }

    /// Writes a layer with its textures in separate files.
    static func layer(
        _ contents: SceneContents, pool: TexturePool, options: ModelWriteOptions, name: String, isText: Bool
    ) throws(ModelFileError) -> EncodedModel {
        var writer = USDWriter(contents, pool: pool, options: options, texturePrefix: ModelFile.stem(name) + "_")
        try writer.build()
        let bytes = isText ? USDText.write(writer.layer) : CrateWriter.write(writer.layer)
        let textures = writer.pool.images.enumerated().map {
            EncodedModel.File(name: writer.fileName(ofImage: $0.offset), bytes: $0.element.bytes)
        }
        return EncodedModel(files: [.init(name: name, bytes: bytes)] + textures, warnings: writer.warnings)
    }

    func fileName(ofImage index: Int) -> String { "\(texturePrefix)\(index).\(pool.images[index].pathExtension)" }

    private mutating func build() throws(ModelFileError) {
        planSkeletons()
        let root = layer.add(skeletons.isEmpty ? "Xform" : "SkelRoot", named: contents.name.isEmpty ? "Model" : contents.name, below: nil)
        layer.prims[root].metadata.append(("kind", .token("component")))
        layer.metadata = [
            ("defaultPrim", .token(layer.prims[root].name)), ("documentation", .string(options.signature)), ("metersPerUnit", .double(1)),
            ("upAxis", .token("Y")),
        ]
        layer.metadata += motion.metadata
        if !contents.materials.isEmpty {
            let scope = layer.add("Scope", named: "Materials", below: root)
            for material in contents.materials { materialPaths.append(try add(material, below: scope)) }
        }
        addPrototypes()
        for index in skeletons.indices { addSkeleton(index, below: root) }
        let joints = pureJoints()
        var prims: [Int: Int] = [:]
        for (index, entry) in contents.entries.enumerated() where !joints.contains(index) {
            let prim = layer.add(typeName(of: entry), named: entry.node.name, below: entry.parent.flatMap { prims[$0] } ?? root)
            prims[index] = prim
            add(entry, index, to: prim, isLeaf: entry.children.allSatisfy { joints.contains($0) })
        }
    }

    private mutating func add(_ entry: SceneContents.Entry, _ index: Int, to prim: Int, isLeaf: Bool) {
        place(entry, index, at: prim)
        addCameraAndLight(of: entry, to: prim)
        guard let mesh = entry.mesh else { return }
        guard let prototype = prototypes[mesh] else {
            for part in contents.parts[mesh] { add(part, of: contents.meshes[mesh], shownBy: index, below: prim) }
            return
        }
        if isLeaf, entry.node.camera == nil, entry.node.light == nil {
            layer.prims[prim].reference = USDPath.parent(prototype[0])
            layer.prims[prim].isInstance = true
            return
        }
        for path in prototype {
            let name = USDPath.name(path)
            let copy = layer.add("", named: name, below: prim)
            layer.prims[copy].reference = path
        }
    }

    /// Writes meshes of several nodes once, in a class.
    private mutating func addPrototypes() {
        var users = Array(repeating: 0, count: contents.meshes.count)
        var skinned = Array(repeating: false, count: contents.meshes.count)
        for entry in contents.entries {
            guard let mesh = entry.mesh else { continue }
            if entry.skin == nil { users[mesh] += 1 } else { skinned[mesh] = true }
        }
        var scope: Int?
        for (index, mesh) in contents.meshes.enumerated() where users[index] > 1 && contents.morphTargetCount(ofMesh: index) == 0 {
            guard !skinned[index] else { continue }
            let prototypes = scope ?? layer.add("", named: "Prototypes", below: nil)
            scope = prototypes
            layer.prims[prototypes].specifier = .class
            let holder = layer.add("Xform", named: mesh.name.isEmpty ? "Mesh" : mesh.name, below: prototypes)
            for part in contents.parts[index] { add(part, of: mesh, shownBy: nil, below: holder) }
            let paths = layer.prims[holder].children.map { layer.prims[$0].path }
            if !paths.isEmpty { self.prototypes[index] = paths }
        }
    }

    /// Returns a matrix for row vectors, as USD uses: the columns are its rows.
    static func matrix(_ m: Matrix4) -> USDValue { .matrix4(rows(m)) }

    static func rows(_ m: Matrix4) -> [Double] {
        var values: [Double] = []
        for row in [m.x, m.y, m.z, m.w] {
            for index in 0..<4 { values.append(Double(row[index])) }
        }
        return values
    }

    mutating func reportOmission(of feature: String, at location: String) {
        warnings.append(ModelWarning(location: location, message: "\(feature): not written"))
    }

    // MARK: Geometry

    /// Adds a part of a mesh.
    ///
    /// - Parameter entry: The node; nil for a prototype.
    private mutating func add(_ part: MeshPart, of mesh: Mesh, shownBy entry: Int?, below node: Int) {
        let geometry = part.geometry
        let location = "mesh \"\(mesh.name)\""
        let prim: Int
        switch geometry.topology {
        case .triangles, .triangleStrip, .triangleFan:
            prim = layer.add("Mesh", named: mesh.name, below: node)
            addTriangles(geometry, contents.material(of: part), to: prim)
        case .points: prim = layer.add("Points", named: mesh.name, below: node)
        case .lines, .lineLoop, .lineStrip: return reportOmission(of: "lines", at: location)
        }
        finish(prim, part, location)
        if let entry, layer.prims[prim].typeName == "Mesh" {
            addSkin(geometry, ofEntry: entry, to: prim)
            addBlendShapes(geometry, ofEntry: entry, to: prim)
        }
    }

    private mutating func addTriangles(_ geometry: Geometry, _ material: Material, to prim: Int) {
        if material.isDoubleSided { layer.prims[prim].set("doubleSided", "bool", .bool(true), isUniform: true) }
        let indices = geometry.triangleIndices
        layer.prims[prim].set("faceVertexCounts", "int[]", .integers(Array(repeating: 3, count: indices.count / 3)))
        layer.prims[prim].set("faceVertexIndices", "int[]", .integers(indices.map { Int32(bitPattern: $0) }))
        layer.prims[prim].set("subdivisionScheme", "token", .token("none"), isUniform: true)
    }

    /// Adds what meshes and points share: positions, normals, colours, coordinates, material.
    private mutating func finish(_ prim: Int, _ part: MeshPart, _ location: String) {
        let geometry = part.geometry
        let box = geometry.bounds
        layer.prims[prim].set("extent", "float3[]", .float3s(box.minimum.array + box.maximum.array))
        for attribute in geometry.attributes {
            switch attribute.semantic {
            case .position: layer.prims[prim].set("points", "point3f[]", .float3s(attribute.values))
            case .normal:
                layer.prims[prim].set("normals", "normal3f[]", .float3s(UnitVectors.normals(attribute.values)), interpolation: "vertex")
            case .textureCoordinate(let set):
                // v points up, in Vitrine down.
                var values = attribute.values
                for index in stride(from: 1, to: values.count, by: 2) { values[index] = 1 - values[index] }
                layer.prims[prim].set("primvars:\(Self.primvar(set))", "texCoord2f[]", .float2s(values), interpolation: "vertex")
            case .color(set: 0): addColours(attribute, contents.material(of: part), to: prim, location)
            // Readers compute tangents from normals and coordinates, and the viewer computes the harmonics.
            case .tangent, .occlusionHarmonics: break
            // Written with the skin.
            case .joints, .weights: break
            default: reportOmission(of: "\(attribute.semantic)", at: location)
            }
        }
        layer.prims[prim].apiSchemas.append("MaterialBindingAPI")
        layer.prims[prim].relate("material:binding", to: materialPaths[contents.index(of: part.material)])
    }

    static func primvar(_ set: Int) -> String { set == 0 ? "st" : "st\(set)" }

    private mutating func addColours(_ attribute: VertexAttribute, _ material: Material, to prim: Int, _ location: String) {
        let width = attribute.componentCount
        let count = attribute.vertexCount
        let isRead = readsColours(material)
        var colours: [Float] = []
        colours.reserveCapacity(count * 3)
        let factor = isRead ? material.baseColor.factor.xyz * material.baseColor.intensity : Vector3(repeating: 1)
        for vertex in 0..<count {
            for channel in 0..<3 { colours.append(attribute.values[vertex * width + channel] * factor[channel]) }
        }
        layer.prims[prim].set("primvars:displayColor", "color3f[]", .float3s(colours), interpolation: "vertex")
        if layer.prims[prim].typeName == "Mesh", !isRead {
            warnings.append(
                ModelWarning(
                    location: location, message: "colours of vertices: written as displayColor, which is visible only without the material")
            )
        }
        if width == 4 {
            let opacities = (0..<count).map { attribute.values[$0 * 4 + 3] }
            layer.prims[prim].set("primvars:displayOpacity", "float[]", .floats(opacities), interpolation: "vertex")
        }
    }
}

extension USDWriter {
    /// Returns the type of a node's prim: that of its camera or light if it has nothing else.
    func typeName(of entry: SceneContents.Entry) -> String {
        switch (entry.node.camera, entry.node.light) {
        case (.some, nil): "Camera"
        case (nil, let light?): Self.typeName(light)
        default: "Xform"
        }
    }

    private static func typeName(_ light: Light) -> String {
        switch light.kind {
        case .ambient: "DomeLight"
        case .directional: "DistantLight"
        case .point, .spot: "SphereLight"
        case .rectangle: "RectLight"
        case .disc: "DiskLight"
        }
    }

    mutating func addCameraAndLight(of entry: SceneContents.Entry, to prim: Int) {
        let isOne = layer.prims[prim].typeName != "Xform"
        if let camera = entry.node.camera { add(camera, to: isOne ? prim : layer.add("Camera", named: "Camera", below: prim)) }
        if let light = entry.node.light {
            add(light, to: isOne ? prim : layer.add(Self.typeName(light), named: "Light", below: prim), at: entry.location)
        }
    }

    /// Adds a camera, with apertures and focal length in tenths of a metre.
    private mutating func add(_ camera: Camera, to prim: Int) {
        let far = camera.far.isFinite ? camera.far : 1e6
        layer.prims[prim].set("clippingRange", "float2", .float2(max(camera.near, 1e-6), max(far, camera.near * 2)))
        if camera.exposure != 0 { layer.prims[prim].set("exposure", "float", .float(camera.exposure)) }
        let height: Float
        switch camera.projection {
        case .perspective(let angle):
            height = (camera.lens?.sensorHeight ?? 24) / 100
            layer.prims[prim].set("focalLength", "float", .float(height / (2 * tan(angle.radians / 2))))
            if let lens = camera.lens {
                layer.prims[prim].set("fStop", "float", .float(lens.fNumber))
                layer.prims[prim].set("focusDistance", "float", .float(lens.focusDistance))
            }
        case .orthographic(let scale):
            height = scale * 20
            layer.prims[prim].set("projection", "token", .token("orthographic"))
        }
        layer.prims[prim].set("horizontalAperture", "float", .float(height * (camera.aspectRatio ?? 1.5)))
        layer.prims[prim].set("verticalAperture", "float", .float(height))
    }

    /// Adds a light, with the luminance of its surface, as UsdLux defines it.
    private mutating func add(_ light: Light, to prim: Int, at location: String) {
        let color = light.color.linear
        layer.prims[prim].set("inputs:color", "color3f", .float3(color.x, color.y, color.z))
        if let temperature = light.temperature {
            layer.prims[prim].set("inputs:colorTemperature", "float", .float(temperature))
            layer.prims[prim].set("inputs:enableColorTemperature", "bool", .bool(true))
        }
        if light.range != nil { reportOmission(of: "a light's range", at: location) }
        if light.attenuation != .inverseSquare { reportOmission(of: "a light's attenuation other than 1/d²", at: location) }
        var intensity = light.intensity
        switch light.kind {
        case .ambient: break
        case .directional:
            // Normalized: the illuminance of a surface that faces it.
            layer.prims[prim].set("inputs:angle", "float", .float(light.angularDiameter.degrees))
            layer.prims[prim].set("inputs:normalize", "bool", .bool(true))
        case .rectangle(let width, let height):
            layer.prims[prim].set("inputs:width", "float", .float(width))
            layer.prims[prim].set("inputs:height", "float", .float(height))
        case .disc(let radius): layer.prims[prim].set("inputs:radius", "float", .float(radius))
        case .point, .spot:
            let radius = light.radius > 0 ? light.radius : 0.01
            intensity /= Float.pi * radius * radius
            layer.prims[prim].set("inputs:radius", "float", .float(radius))
            if light.radius <= 0 { layer.prims[prim].set("treatAsPoint", "bool", .bool(true)) }
        }
        layer.prims[prim].set("inputs:intensity", "float", .float(intensity))
        guard case .spot(let inner, let outer) = light.kind else { return }
        layer.prims[prim].apiSchemas.append("ShapingAPI")
        layer.prims[prim].set("inputs:shaping:cone:angle", "float", .float(outer.degrees))
        layer.prims[prim].set("inputs:shaping:cone:softness", "float", .float(clamp(1 - inner.radians / max(outer.radians, 1e-6), 0, 1)))
    }
}

/// A Skeleton prim to write, whose frame and joints are in the frame of the root.
struct USDSkeletonPlan {
    let name: String
    /// The index into `contents.skins`; nil for a skeleton that only has the weights of blend shapes.
    let skin: Int?
    /// The indices of entries, parents first.
    var joints: [Int] = []
    /// The index in `joints` of each joint of the skin.
    var jointIndices: [Int] = []
    /// The paths of joints: `Hip/Knee`.
    var tokens: [String] = []
    /// The entries of each joint, from the child of the parent joint (or from the top) down to its own entry.
    var chains: [[Int]] = []
    var bind: [Matrix4] = []
    /// The entries whose blend shapes the skeleton animates, with the names of the shapes.
    var shapes: [(entry: Int, names: [String])] = []
    var path = ""
}

extension USDWriter {
    mutating func planSkeletons() {
        for (index, entry) in contents.skins.enumerated() {
            let bind = entry.skin.inverseBindMatrices.map { $0.affineInverse }
            var plan = USDSkeletonPlan(name: entry.skin.name.isEmpty ? "Skeleton" : entry.skin.name, skin: index)
            if bind.allSatisfy({ [$0.x, $0.y, $0.z, $0.w].allSatisfy { ($0 * 0).sum() == 0 } }),
                Set(entry.joints).count == entry.joints.count
            {
                // Entries are ordered parents first.
                let order = entry.joints.indices.sorted { entry.joints[$0] < entry.joints[$1] }
                plan.joints = order.map { entry.joints[$0] }
                plan.bind = order.map { bind[$0] }
                plan.jointIndices = Array(repeating: 0, count: order.count)
                for (jointIndex, joint) in order.enumerated() { plan.jointIndices[joint] = jointIndex }
                addChains(to: &plan)
            } else {
                reportOmission(of: "a skin (its bind matrices are singular, or a joint occurs twice)", at: "skin \"\(plan.name)\"")
            }
            skeletons.append(plan)
        }
        for (index, entry) in contents.entries.enumerated() {
            guard let mesh = entry.mesh, contents.morphTargetCount(ofMesh: mesh) > 0 else { continue }
            let owner = entry.skin ?? skeletons.count
            if owner == skeletons.count { skeletons.append(USDSkeletonPlan(name: "\(entry.node.name)_Shapes", skin: nil)) }
            skeletons[owner].shapes.append((index, shapeNames(mesh, taken: Set(skeletons[owner].shapes.flatMap(\.names)))))
        }
    }

    private func shapeNames(_ mesh: Int, taken: Set<String>) -> [String] {
        var (taken, names): (Set<String>, [String]) = (taken, [])
        for index in 0..<contents.morphTargetCount(ofMesh: mesh) {
            let named = contents.parts[mesh].lazy.map(\.geometry.morphTargets).first { index < $0.count }?[index].name ?? ""
            let valid = USDLayer.identifier(named, fallback: "shape_\(index)")
            var (unique, number) = (valid, 1)
            while !taken.insert(unique).inserted { (unique, number) = ("\(valid)_\(number)", number + 1) }
            names.append(unique)
        }
        return names
    }

    /// Adds the hierarchy of joints, and the nodes between them.
    private func addChains(to plan: inout USDSkeletonPlan) {
        let jointIndices = Dictionary(plan.joints.enumerated().map { ($1, $0) }, uniquingKeysWith: { a, _ in a })
        var parents: [Int?] = []
        for joint in plan.joints {
            var (chain, current) = ([joint], contents.entries[joint].parent)
            while let entry = current, jointIndices[entry] == nil {
                chain.append(entry)
                current = contents.entries[entry].parent
            }
            plan.chains.append(chain.reversed())
            parents.append(current.flatMap { jointIndices[$0] })
        }
        var tokens = Array(repeating: "", count: plan.joints.count)
        var names = UniqueNames()
        for index in plan.joints.indices {
            let name = USDLayer.identifier(contents.entries[plan.joints[index]].node.name, fallback: "joint")
            tokens[index] = names.unique((parents[index].map { tokens[$0] + "/" } ?? "") + name)
        }
        plan.tokens = tokens
    }

    /// Returns the joints that have only joints as descendants, which the skeleton contains.
    func pureJoints() -> Set<Int> {
        let joints = Set(skeletons.flatMap(\.joints))
        var result: Set<Int> = []
        for index in contents.entries.indices.reversed() where joints.contains(index) {
            let entry = contents.entries[index]
            guard entry.mesh == nil, entry.node.camera == nil, entry.node.light == nil else { continue }
            if entry.children.allSatisfy({ result.contains($0) }) { result.insert(index) }
        }
        return result
    }

    // MARK: Prims

    mutating func addSkeleton(_ index: Int, below root: Int) {
        let plan = skeletons[index]
        let prim = layer.add("Skeleton", named: plan.name, below: root)
        skeletons[index].path = layer.prims[prim].path
        let rest = plan.chains.map { chain in chain.reduce(Matrix4.identity) { $0 * contents.entries[$1].parentFromLocal } }
        layer.prims[prim].set("bindTransforms", "matrix4d[]", .matrices(plan.bind.flatMap(Self.rows)), isUniform: true)
        layer.prims[prim].set("joints", "token[]", .tokens(plan.tokens), isUniform: true)
        layer.prims[prim].set("restTransforms", "matrix4d[]", .matrices(rest.flatMap(Self.rows)), isUniform: true)
        let times = motion.times(of: Array(Set(plan.chains.flatMap { $0 })).sorted())
        guard !times.isEmpty || !plan.shapes.isEmpty else { return }
        let animation = layer.add("SkelAnimation", named: "Animation", below: prim)
        if !times.isEmpty { addJointMotion(plan, times, to: animation) }
        if !plan.shapes.isEmpty { addWeights(plan, to: animation) }
        layer.prims[prim].apiSchemas.append("SkelBindingAPI")
        layer.prims[prim].relate("skel:animationSource", to: layer.prims[animation].path)
    }

    private mutating func addJointMotion(_ plan: USDSkeletonPlan, _ times: [Float], to prim: Int) {
        var (moves, turns, scales): ([USDValue], [USDValue], [USDValue]) = ([], [], [])
        var isSheared = false
        for time in times {
            var (move, turn, scale): ([Float], [Float], [Float]) = ([], [], [])
            for chain in plan.chains {
                let parts: USDMatrixParts
                if chain.count == 1, USDMotion.hasParts(contents.entries[chain[0]]) {
                    parts = USDMatrixParts(motion.local(chain[0], at: time))
                } else {
                    parts = USDMatrixParts(chain.reduce(Matrix4.identity) { $0 * motion.matrix($1, at: time) })
                    isSheared = isSheared || parts.isSheared
                }
                move += parts.translation.array
                turn += [parts.rotation.vector.x, parts.rotation.vector.y, parts.rotation.vector.z, parts.rotation.vector.w]
                scale += parts.scale.array
            }
            moves.append(.float3s(move))
            turns.append(.quaternions(turn))
            scales.append(.half3s(scale))
        }
        if isSheared { reportOmission(of: "shear of joints", at: "skin \"\(plan.name)\"") }
        let codes = times.map(USDMotion.code)
        layer.prims[prim].set("joints", "token[]", .tokens(plan.tokens), isUniform: true)
        layer.prims[prim].animate("rotations", "quatf[]", times: codes, turns)
        layer.prims[prim].animate("scales", "half3[]", times: codes, scales)
        layer.prims[prim].animate("translations", "float3[]", times: codes, moves)
    }

    private mutating func addWeights(_ plan: USDSkeletonPlan, to prim: Int) {
        layer.prims[prim].set("blendShapes", "token[]", .tokens(plan.shapes.flatMap(\.names)), isUniform: true)
        let tracks = plan.shapes.map { motion.track($0.entry, .morphWeights) }
        func weights(at time: Float?) -> [Float] {
            zip(plan.shapes, tracks).flatMap { shape, track -> [Float] in
                let values = time.flatMap { time in track?.value(at: time) } ?? contents.entries[shape.entry].node.effectiveMorphWeights
                return shape.names.indices.map { $0 < values.count && values[$0].isFinite ? values[$0] : 0 }
            }
        }
        let times = Set(tracks.compactMap { $0 }.flatMap { USDMotion.times($0) }).sorted()
        guard !times.isEmpty else { return layer.prims[prim].set("blendShapeWeights", "float[]", .floats(weights(at: nil))) }
        layer.prims[prim].animate("blendShapeWeights", "float[]", times: times.map(USDMotion.code), times.map { .floats(weights(at: $0)) })
    }

    // MARK: Meshes

    /// Adds the joints and weights of vertices.
    mutating func addSkin(_ geometry: Geometry, ofEntry entry: Int, to prim: Int) {
        guard let skin = contents.entries[entry].skin, !skeletons[skin].joints.isEmpty else { return }
        let sets = geometry.skinSets()
        guard !sets.joints.isEmpty else { return }
        let jointIndices = skeletons[skin].jointIndices
        var (joints, weights): ([Int32], [Float]) = ([], [])
        for vertex in 0..<geometry.vertexCount {
            for set in sets.joints.indices {
                for index in 4 * vertex..<4 * vertex + 4 {
                    let weight = sets.weights[set][index]
                    weights.append(weight)
                    joints.append(weight > 0 ? Int32(jointIndices[Int(min(sets.joints[set][index], Float(jointIndices.count - 1)))]) : 0)
                }
            }
        }
        bind(prim, to: skin)
        layer.prims[prim].set("primvars:skel:geomBindTransform", "matrix4d", Self.matrix(.identity))
        add("primvars:skel:jointIndices", "int[]", .integers(joints), elementSize: 4 * sets.joints.count, to: prim)
        add("primvars:skel:jointWeights", "float[]", .floats(weights), elementSize: 4 * sets.joints.count, to: prim)
    }

    private mutating func add(_ name: String, _ type: String, _ value: USDValue, elementSize: Int, to prim: Int) {
        layer.prims[prim].set(name, type, value, interpolation: "vertex")
        layer.prims[prim].properties[layer.prims[prim].properties.count - 1].elementSize = elementSize
    }

    private mutating func bind(_ prim: Int, to skeleton: Int) {
        guard !layer.prims[prim].apiSchemas.contains("SkelBindingAPI") else { return }
        layer.prims[prim].apiSchemas.append("SkelBindingAPI")
        layer.prims[prim].relate("skel:skeleton", to: skeletons[skeleton].path)
    }

    /// Adds morph targets as offsets of the vertices that they move.
    mutating func addBlendShapes(_ geometry: Geometry, ofEntry entry: Int, to prim: Int) {
        guard !geometry.morphTargets.isEmpty,
            let owner = skeletons.firstIndex(where: { $0.shapes.contains { $0.entry == entry } }),
            let names = skeletons[owner].shapes.first(where: { $0.entry == entry })?.names
        else { return }
        bind(prim, to: owner)
        var paths: [String] = []
        for (target, name) in zip(geometry.morphTargets, names) {
            let shape = layer.add("BlendShape", named: name, below: prim)
            paths.append(layer.prims[shape].path)
            let (positionOffsets, normalOffsets) = (target.positionOffsets, target.normalOffsets)
            let moved = (0..<geometry.vertexCount).filter { vertex in
                (3 * vertex..<3 * vertex + 3).contains {
                    (!positionOffsets.isEmpty && positionOffsets[$0] != 0) || (!normalOffsets.isEmpty && normalOffsets[$0] != 0)
                }
            }
            func gathered(_ values: [Float]) -> USDValue {
                .float3s(moved.flatMap { values.isEmpty ? [0, 0, 0] : Array(values[3 * $0..<3 * $0 + 3]) })
            }
            if !normalOffsets.isEmpty { layer.prims[shape].set("normalOffsets", "vector3f[]", gathered(normalOffsets), isUniform: true) }
            layer.prims[shape].set("offsets", "vector3f[]", gathered(positionOffsets), isUniform: true)
            layer.prims[shape].set("pointIndices", "int[]", .integers(moved.map { Int32($0) }), isUniform: true)
        }
        layer.prims[prim].set("skel:blendShapes", "token[]", .tokens(Array(names.prefix(paths.count))), isUniform: true)
        layer.prims[prim].relate("skel:blendShapeTargets", to: paths)
    }
}

extension USDMatrixParts {
    init(_ transform: Transform) {
        (translation, rotation, scale) = (transform.translation, transform.rotation.normalized, transform.scale)
        isSheared = false
    }
}
