import VitrineGeometry

/// A tree of nodes, the light around it, and its animations.
///
/// ```swift
/// let scene = Scene()
/// scene.rootNode.addChildNode(Node(name: "Card", mesh: mesh))
/// scene["Card"]?.material?.clearcoat.factor = 0.8
/// scene.environment.rotation = .degrees(30)
/// ```
public final class Scene {
    /// For messages and files.
    public var name: String
    /// The root of the tree.
    public let rootNode: Node
    /// Light from all directions, and the background.
    public var environment = Environment()
    /// The clips that `mixer` can play.
    public var animations: [AnimationClip] = []
    /// Plays clips.
    public let mixer = AnimationMixer()
    /// The variants of the model's materials, in the file's order; see `choose(variant:)`.
    public var variantNames: [String] = []
    /// The variant that is shown; nil: none.
    public internal(set) var variant: String?
    /// The node whose camera views look through. Default nil: a view uses its own camera.
    ///
    /// A `SceneView` follows changes at any time: setting it switches the view to that camera, also if the user moved the view's own before.
    public var pointOfView: Node? {
        didSet {
            pointOfViewRevision &+= 1
            store.onActivity?()
        }
    }
    /// Incremented whenever `pointOfView` is set.
    package private(set) var pointOfViewRevision: UInt64 = 0
    /// Seconds that have passed by `advance(by:)`.
    public internal(set) var time = 0.0
    /// What the renderer reads.
    public let store = NodeStore()
    /// Triangle hierarchies of picked geometries.
    let pickingTrees = PickingTrees()

    /// Makes an empty scene.
    public init(name: String = "") {
        self.name = name
        rootNode = Node(name: "root")
        rootNode.attach(to: store, parent: -1)
        mixer.onStart = { [store] in store.onActivity?() }
    }

    /// The first node with this name anywhere in the scene.
    public subscript(name: String) -> Node? { rootNode.childNode(withName: name, recursively: true) }

    /// Brings world transforms up to date. The renderer calls it every frame; it costs nothing when nothing moved.
    public func update() { store.update() }

    /// The same, and says where the scene is seen from: constraints that face the viewer go by it from then on.
    public func update(seenFrom worldFromCamera: Matrix4) {
        store.setViewer(worldFromCamera)
        store.update()
    }

    /// The first animation with this name.
    public func animation(named name: String) -> AnimationClip? { animations.first { $0.name == name } }

    /// The box around everything that is not hidden, as it is posed now, in world coordinates, metres. Empty when nothing is shown.
    ///
    /// Exact: a rotated mesh counts by its vertices, not by the corners of its own box. Linear in the number of vertices of rotated, morphed
    /// and skinned meshes; `NodeStore.worldBounds` has boxes for culling, which may be larger.
    public var bounds: BoundingBox {
        update()
        var box = BoundingBox.empty
        rootNode.forSubtree { node in
            if store.worldOpacities[Int(node.slot)] > 0 { node.addExactWorldBounds(to: &box) }
        }
        return box
    }

    /// The box around what a viewer looks at: `bounds` without shadow receivers, which reach far beyond the rest.
    public var subjectBounds: BoundingBox {
        update()
        var box = BoundingBox.empty
        rootNode.forSubtree { node in
            guard store.worldOpacities[Int(node.slot)] > 0, !node.onlyCatchesShadows else { return }
            node.addExactWorldBounds(to: &box)
        }
        return box
    }

    /// `subjectBounds` from the boxes for culling: quick enough for every frame, and never too small.
    package var subjectCullingBounds: BoundingBox {
        update()
        var box = BoundingBox.empty
        rootNode.forSubtree { node in
            guard store.worldOpacities[Int(node.slot)] > 0, !node.onlyCatchesShadows else { return }
            box.formUnion(store.worldBounds[Int(node.slot)])
        }
        return box
    }
}

extension Node {
    fileprivate var onlyCatchesShadows: Bool {
        guard let parts = mesh?.parts, !parts.isEmpty else { return false }
        return parts.allSatisfy { $0.material.isShadowReceiver }
    }
}
