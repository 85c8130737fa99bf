import VitrineGeometry

/// A tree of nodes with an environment and animations.
///
/// ```swift
/// let scene = Scene()
/// scene.rootNode.addChildNode(Node(name: "Card", mesh: mesh))
/// scene["Card"]?.material?.clearcoat.factor = 0.8
/// scene.environment.rotation = .degrees(30)
/// ```
public final class Scene {
    /// The name, for messages and files.
    public var name: String
    /// The root of the tree.
    public let rootNode: Node
    /// The environment light and the background.
    public var environment = Environment()
    /// The indirect light of surfaces without a light map; nil: they are lit by the environment as if nothing surrounded them.
    package var irradianceVolume: IrradianceVolume?
    /// The clips that `mixer` can play.
    public var animations: [AnimationClip] = []
    /// The mixer that plays clips.
    public let mixer = AnimationMixer()
    /// The names of the model's material variants, in the file's order; see `choose(variant:)`.
    public var variantNames: [String] = []
    /// The active variant; nil for none.
    public internal(set) var variant: String?
    /// The node whose camera a view uses. If nil (default), a view uses its own camera.
    ///
    /// A `SceneView` applies changes at any time: setting the property switches the view to that camera, even if the user has moved the view's camera.
    public var pointOfView: Node? {
        didSet {
            pointOfViewRevision &+= 1
            store.onActivity?()
        }
    }
    /// The number of times that `pointOfView` was set.
    package private(set) var pointOfViewRevision: UInt64 = 0
    /// The time in seconds by which `advance(by:)` has advanced the scene.
    public internal(set) var time = 0.0
    /// The values of the nodes, which the renderer reads.
    package let store = NodeStore()
    /// The triangle hierarchies of picked geometries.
    let pickingTrees = PickingTrees()

    /// Creates an empty scene.
    public init(name: String = "") {
        self.name = name
        rootNode = Node(name: "root")
        rootNode.attach(to: store, parent: -1)
        mixer.onStart = { [store] in store.onActivity?() }
    }

    /// Returns the first node with this name in the scene.
    public subscript(name: String) -> Node? { rootNode.childNode(withName: name, recursively: true) }

    /// Updates world transforms, opacities and bounds. The renderer calls it in every frame. Does no work if nothing moved.
    public func update() { store.update() }

    /// Updates the scene for a camera pose, towards which billboards rotate.
    public func update(seenFrom worldFromCamera: Matrix4) {
        store.setViewer(worldFromCamera)
        store.update()
    }

    /// Returns the first animation with this name.
    public func animation(named name: String) -> AnimationClip? { animations.first { $0.name == name } }

    /// The bounds of all visible nodes in their current pose, world frame, metres. Empty if nothing is visible.
    ///
    /// Exact: a rotated mesh counts by its vertices, not by the corners of its box. Linear in the number of vertices of rotated, morphed and skinned
    /// meshes.
    public var bounds: BoundingBox {
        update()
        var box = BoundingBox.empty
        rootNode.forSubtree { node in
            if store.worldOpacities[Int(node.slot)] > 0 { node.addExactWorldBounds(to: &box) }
        }
        return box
    }

    /// The bounds of the scene without shadow receivers, which extend far beyond the objects; for framing a camera.
    public var subjectBounds: BoundingBox {
        update()
        var box = BoundingBox.empty
        rootNode.forSubtree { node in
            guard store.worldOpacities[Int(node.slot)] > 0, !node.isShadowReceiverOnly else { return }
            node.addExactWorldBounds(to: &box)
        }
        return box
    }

    /// The bounds of `subjectBounds`, computed from the boxes for culling: fast enough for every frame, never too small.
    package var subjectCullingBounds: BoundingBox {
        update()
        var box = BoundingBox.empty
        rootNode.forSubtree { node in
            guard store.worldOpacities[Int(node.slot)] > 0, !node.isShadowReceiverOnly else { return }
            box.formUnion(store.worldBounds[Int(node.slot)])
        }
        return box
    }
}

extension Node {
    fileprivate var isShadowReceiverOnly: Bool {
        guard let parts = mesh?.parts, !parts.isEmpty else { return false }
        return parts.allSatisfy { $0.material.isShadowReceiver }
    }
}

extension Scene {
    /// Advances time by `seconds`: runs animations, then actions. Constraints and world transforms are updated by `update()`.
    ///
    /// A `SceneView` calls it before each frame. Deterministic; actions and clips have the same state after any number
    /// of steps of the same sum. Negative steps and NaN count as 0.
    public func advance(by seconds: Double) {
        let seconds = seconds > 0 && seconds.isFinite ? seconds : 0
        time += seconds
        mixer.advance(by: seconds)
        store.advanceActions(by: seconds)
    }

    /// Advances time to `time`, in seconds since the scene was created. Time does not run backwards.
    public func advance(to time: Double) { advance(by: time - self.time) }

    /// Whether the next step changes the scene: clips play or actions run.
    public var isMoving: Bool { mixer.isMoving || store.isActing }

    /// Called when the scene starts to move (an action or a clip starts while no other runs) and when `pointOfView` is set, so that a view that draws
    /// on demand draws its next frame.
    public var onActivity: (() -> Void)? {
        get { store.onActivity }
        set { store.onActivity = newValue }
    }
}

/// Access to many nodes at once: a scene stores the values of its nodes in arrays, and `Node.slot` is the index of a node.
///
/// ```swift
/// let slots = cubes.map(\.slot)
/// scene.modifyTransforms(at: slots) { index, transform in transform.translation.y = heights[index] }
/// let visible = scene.visibleSlots(in: Frustum(clipFromWorld: clipFromWorld))
/// ```
extension Scene {
    /// Changes the local transforms of nodes: several times as fast as node by node for ten thousand nodes or more. Removes shear.
    ///
    /// - Parameters:
    ///   - slots: The slots of nodes in this scene; others are ignored.
    ///   - body: Called for each slot, with its index in `slots`.
    public func modifyTransforms(at slots: [Int32], _ body: (_ index: Int, _ transform: inout Transform) -> Void) {
        store.modifyLocalTransforms(of: slots, body)
    }

    /// Returns the nodes whose bounds intersect a frustum, as of the last update. Hidden nodes and nodes without mesh are omitted.
    ///
    /// - Parameters:
    ///   - frustum: The frustum in the world frame.
    ///   - categoryBitMask: The categories: only nodes that share a bit are returned.
    public func visibleSlots(in frustum: Frustum, categoryBitMask: UInt32 = .max) -> [Int32] {
        store.visibleSlots(in: frustum, categoryBitMask: categoryBitMask)
    }

    /// Returns the node of a slot; nil if the slot is free.
    public func node(at slot: Int32) -> Node? { store.node(at: slot) }
}

extension Scene {
    /// Returns the nearest surface on the ray, or nil.
    ///
    /// Tests visible surfaces, without hidden nodes and culled back faces; skinned and morphed meshes in their current shape. Ignores points, lines
    /// and the transparency of textures.
    ///
    /// ```swift
    /// if let hit = scene.pick(Ray(origin: [0, 0, 5], direction: [0, 0, -1])) { print(hit.node.name, hit.position) }
    /// ```
    ///
    /// The first pick of a geometry builds a hierarchy of its triangles (a few microseconds per triangle), which is kept until the geometry leaves the
    /// scene; later picks take microseconds. A deforming mesh has no hierarchy: each pick near it takes time linear in its vertices.
    public func pick(_ ray: Ray, options: PickOptions = PickOptions()) -> PickHit? { picks(ray, options, all: false).first }

    /// Returns all surfaces on the ray, nearest first; equally near ones in the order of their nodes' slots, parts and triangles.
    public func pickAll(_ ray: Ray, options: PickOptions = PickOptions()) -> [PickHit] { picks(ray, options, all: true) }

    /// Returns the nearest surface under a point of the image.
    ///
    /// - Parameters:
    ///   - point: The point, from the upper left corner of the image, +x right, +y down, in the units of `viewportSize`.
    ///   - worldFromCamera: The camera's pose.
    public func hitTest(
        _ point: Vector2, viewportSize: Vector2, camera: Camera, worldFromCamera: Matrix4, options: PickOptions = PickOptions()
    ) -> PickHit? {
        let ray = camera.ray(through: point, viewportSize: viewportSize, worldFromCamera: worldFromCamera)
        return pick(ray, options: options)
    }

    private func picks(_ ray: Ray, _ options: PickOptions, all: Bool) -> [PickHit] {
        guard ray.origin.isFinite, ray.direction.isFinite, ray.direction != Vector3(repeating: 0) else { return [] }
        update()
        pickingTrees.dropUnused(in: store)
        var query = PickQuery(ray: ray, options: options, findsAll: all)
        for (near, slot) in candidates(ray, options) {
            // Sorted by the distance at which the ray enters their bounds: later nodes cannot be nearer.
            if near > query.limit { break }
            if let node = store.node(at: slot) { query.meet(node, trees: pickingTrees) }
        }
        return query.sortedHits(ray)
    }

    /// Returns the nodes whose world bounds the ray intersects, nearest bounds first.
    private func candidates(_ ray: Ray, _ options: PickOptions) -> [(near: Float, slot: Int32)] {
        var found: [(near: Float, slot: Int32)] = []
        for i in store.worldBounds.indices where store.meshIndices[i] >= 0 {
            guard store.categoryBitMasks[i] & options.categoryBitMask != 0 else { continue }
            guard options.includesHidden || store.worldOpacities[i] > 0 else { continue }
            guard let (near, _) = ray.intersection(with: store.worldBounds[i]), near <= options.maximumDistance else { continue }
            found.append((near, Int32(i)))
        }
        found.sort { ($0.near, $0.slot) < ($1.near, $1.slot) }
        return found
    }
}

/// The triangle hierarchies of picked geometries, by identity; each retains its geometry, so that an identity is not reused.
final class PickingTrees {
    private var trees: [ObjectIdentifier: (geometry: Geometry, tree: TriangleHierarchy)] = [:]
    private var structureVersion: UInt64 = 0

    var count: Int { trees.count }

    func tree(for geometry: Geometry) -> TriangleHierarchy {
        if let known = trees[ObjectIdentifier(geometry)] { return known.tree }
        let tree = TriangleHierarchy(geometry)
        trees[ObjectIdentifier(geometry)] = (geometry, tree)
        return tree
    }

    /// Releases the hierarchies of geometries that no node of the scene uses.
    func dropUnused(in store: NodeStore) {
        guard structureVersion != store.structureVersion, !trees.isEmpty else { return }
        structureVersion = store.structureVersion
        var used: Set<ObjectIdentifier> = []
        for index in 0..<store.meshCount {
            for part in store.mesh(at: Int32(index))?.parts ?? [] { used.insert(ObjectIdentifier(part.geometry)) }
        }
        trees = trees.filter { used.contains($0.key) }
    }
}

/// An error for a variant name that a scene does not have.
public struct UnknownVariant: Error, Equatable, Sendable, CustomStringConvertible {
    /// The unknown name.
    public let name: String
    /// The variants of the scene.
    public let known: [String]

    public var description: String {
        var text = "there is no material variant '\(name)': "
        if known.isEmpty { return text + "the scene has none" }
        text += "the scene has "
        for (index, name) in known.enumerated() { text += (index == 0 ? "'" : ", '") + name + "'" }
        return text
    }
}

extension Scene {
    /// Sets the material of every part to that of a variant (KHR_materials_variants); parts without a material for this variant do not change.
    ///
    /// Affects other scenes that share the meshes, too.
    ///
    /// - Parameter name: The name of the variant; nil for the materials without a variant.
    /// - Throws: `UnknownVariant` if `variantNames` does not contain the name.
    public func choose(variant name: String?) throws(UnknownVariant) {
        if let name, !variantNames.contains(name) { throw UnknownVariant(name: name, known: variantNames) }
        var seen: Set<ObjectIdentifier> = []
        for slot in store.order {
            guard let mesh = store.meshes[Int(slot)], seen.insert(ObjectIdentifier(mesh)).inserted else { continue }
            if mesh.parts.contains(where: { !$0.alternatives.isEmpty }) { mesh.parts = mesh.parts.map { $0.wearing(variant: name) } }
        }
        variant = name
    }
}

extension MeshPart {
    /// The material without a variant.
    public var ownMaterial: Material { plain ?? material }

    fileprivate func wearing(variant name: String?) -> MeshPart {
        guard !alternatives.isEmpty else { return self }
        var part = self
        let chosen = alternatives.first { $0.variant == name }
        part.material = chosen?.material ?? ownMaterial
        part.plain = chosen == nil ? nil : ownMaterial
        return part
    }
}
