import VitrineMath

/// A node of a scene's tree: a transform relative to its parent, with an optional mesh, camera, light and children.
///
/// ```swift
/// let node = Node(name: "Card")
/// node.position = [0, 1, 0]
/// scene.rootNode.addChildNode(node)
/// node.eulerAngles.y = .pi / 2
/// ```
///
/// A node in a scene stores its values in the arrays of the scene (`NodeStore`); other nodes store them themselves. A parent retains its children;
/// a child does not retain its parent. Use the nodes of one scene from one thread at a time.
public final class Node {
    /// The values of a node that belongs to no scene.
    final class State {
        var local: Transform
        var special: SpecialTransform?
        var opacity: Float
        var isHidden: Bool
        var categoryBitMask: UInt32
        var renderingOrder: Int32
        var castsShadow: Bool

        init(
            local: Transform = .identity, special: SpecialTransform? = nil, opacity: Float = 1, isHidden: Bool = false,
            categoryBitMask: UInt32 = 1, renderingOrder: Int32 = 0, castsShadow: Bool = true
        ) {
            (self.local, self.special, self.opacity, self.isHidden) = (local, special, opacity, isHidden)
            (self.categoryBitMask, self.renderingOrder, self.castsShadow) = (categoryBitMask, renderingOrder, castsShadow)
        }
    }

    /// The storage of the node's values.
    private enum Home {
        case free(State)
        case attached(NodeStore)
    }

    /// The name, for `childNode(withName:recursively:)`.
    public var name: String
    /// The children, in order.
    public private(set) var childNodes: [Node] = []
    /// The parent, which is not retained: it clears the reference when it is freed.
    private unowned(unsafe) var parentReference: Node?
    /// The parent; nil for roots and nodes outside a tree.
    public var parent: Node? { parentReference }

    private var home: Home
    /// The node's index in the arrays of its scene's `store`; −1 if it belongs to no scene.
    public private(set) var slot: Int32 = -1

    /// The mesh to draw. Nodes can share a mesh.
    public var mesh: Mesh? {
        didSet { store?.setMesh(mesh, at: slot) }
    }
    /// The camera, which looks along the node's −Z; nil for none.
    public var camera: Camera? {
        get { boxedCamera.value }
        set { boxedCamera = Boxed(newValue) }
    }
    /// The light, which shines along the node's −Z; nil for none.
    public var light: Light? {
        get { boxedLight.value }
        set {
            boxedLight = Boxed(newValue)
            store?.drawListChanged()
        }
    }
    private var boxedCamera = Boxed<Camera>.none
    private var boxedLight = Boxed<Light>.none
    /// The shared weak reference, created on first use.
    var reference: NodeReference {
        if let knownReference { return knownReference }
        let reference = NodeReference(self)
        knownReference = reference
        return reference
    }
    private var knownReference: NodeReference?
    /// Actions and constraints, created on first use.
    private(set) var behavior: NodeBehavior?
    func makeBehavior() -> NodeBehavior {
        if let behavior { return behavior }
        let made = NodeBehavior()
        behavior = made
        return made
    }
    /// The joints that deform the mesh; nil for none.
    public var skin: Skin? {
        didSet { store?.setSkinned(skin != nil, at: slot) }
    }
    /// The weights of the mesh's morph targets; empty for those of the mesh.
    public var morphWeights: [Float] = [] {
        didSet { store?.markMoved(slot) }
    }

    /// Creates a node without parent at the origin.
    public convenience init(name: String = "", mesh: Mesh? = nil) { self.init(name: name, mesh: mesh, state: State()) }

    init(name: String, mesh: Mesh?, state: State) {
        self.name = name
        self.mesh = mesh
        home = .free(state)
    }

    /// The arrays of the node's scene.
    var store: NodeStore? {
        if case .attached(let store) = home { return store }
        return nil
    }

    deinit {
        // Before the subtree is released, which may use the reference.
        knownReference?.clear(leaving: store.map { $0.worldTransforms[Int(slot)] } ?? parentFromLocal)
        store?.remove(slot)
        releaseDescendants()
    }

    /// Releases the subtree without recursion, because a tree may be deeper than the stack. Retained descendants remain without a parent.
    private func releaseDescendants() {
        var pending = childNodes
        childNodes = []
        while var node = pending.popLast() {
            node.parentReference = nil
            if isKnownUniquelyReferenced(&node) {
                pending.append(contentsOf: node.childNodes)
                node.childNodes = []
            } else {
                node.detach()
            }
        }
    }

    // MARK: The tree

    /// Appends `child`, removing it from its parent. Returns false without a change if that would make a node its own descendant.
    @discardableResult
    public func addChildNode(_ child: Node) -> Bool { insertChildNode(child, at: childNodes.count) }

    /// Inserts `child` at `index` (clamped to 0…`childNodes.count`), removing it from its parent. Returns false without a change if that would
    /// make a node its own descendant.
    @discardableResult
    public func insertChildNode(_ child: Node, at index: Int) -> Bool {
        guard !isSelfOrAncestor(child) else { return false }
        child.removeFromParentNode()
        // A node that outlived its scene still has a slot in that scene's arrays.
        child.detach()
        childNodes.insert(child, at: min(max(index, 0), childNodes.count))
        child.parentReference = self
        if let store { child.attach(to: store, parent: slot) }
        return true
    }

    private func isSelfOrAncestor(_ node: Node) -> Bool {
        // A node without children is not an ancestor: skips the search when a tree is built from the root down.
        if node.childNodes.isEmpty { return node === self }
        var ancestor: Node? = self
        while let current = ancestor {
            if current === node { return true }
            ancestor = current.parentReference
        }
        return false
    }

    /// Removes the node with its subtree from its parent, if it has one.
    public func removeFromParentNode() {
        guard let parent = parentReference else { return }
        // Searches from the end, because trees are mostly removed in that order.
        if let index = parent.childNodes.lastIndex(where: { $0 === self }) { parent.childNodes.remove(at: index) }
        parentReference = nil
        detach()
    }

    /// Removes all children.
    public func removeAllChildNodes() {
        let children = childNodes
        childNodes = []
        for child in children {
            child.parentReference = nil
            child.detach()
        }
    }

    func attach(to store: NodeStore, parent: Int32) {
        forSubtree { node in
            let parentSlot = node === self ? parent : (node.parentReference?.slot ?? -1)
            guard case .free(let state) = node.home else { return }
            node.slot = store.insert(node, state: state, parent: parentSlot)
            node.home = .attached(store)
        }
    }

    func detach() {
        guard store != nil else { return }
        forSubtree { node in
            guard let store = node.store else { return }
            node.home = .free(store.state(of: node.slot))
            store.remove(node.slot)
            node.slot = -1
        }
    }

    /// Calls `body` for this node and its descendants, parents first, without recursion (files may nest deeply).
    public func forSubtree(_ body: (Node) -> Void) {
        var stack: [Node] = [self]
        while let node = stack.popLast() {
            body(node)
            stack.append(contentsOf: node.childNodes.reversed())
        }
    }

    /// Returns the first descendant with this name; searches only the children unless `recursively` is true.
    public func childNode(withName name: String, recursively: Bool = false) -> Node? {
        guard recursively else { return childNodes.first { $0.name == name } }
        var stack = Array(childNodes.reversed())
        while let node = stack.popLast() {
            if node.name == name { return node }
            stack.append(contentsOf: node.childNodes.reversed())
        }
        return nil
    }
}

// MARK: Transform

extension Node {
    /// The translation, rotation and scale in the parent's frame.
    public var localTransform: Transform {
        get {
            switch home {
            case .free(let state): state.local
            case .attached(let store): store.inputs.pointee.locals[Int(slot)]
            }
        }
        set {
            changeLocal { $0 = newValue }
            forgetShear()
        }
    }

    /// Changes the local transform and marks the node as moved. All writes use it.
    @inline(__always)
    private func changeLocal(_ change: (inout Transform) -> Void) {
        switch home {
        case .free(let state): change(&state.local)
        case .attached(let store):
            let slot = slot
            change(&store.inputs.pointee.locals[Int(slot)])
            store.inputs.pointee.markMoved(slot)
        }
    }

    /// Whether the transform has parts other than translation, rotation and scale. Fast, because few transforms have.
    private var isSpecial: Bool {
        switch home {
        case .free(let state): state.special != nil
        case .attached(let store): store.inputs.pointee.flags[Int(slot)].contains(.isSpecial)
        }
    }

    /// The part of the transform other than translation, rotation and scale.
    private var special: SpecialTransform? {
        get {
            switch home {
            case .free(let state): state.special
            case .attached(let store): store.special(at: slot)
            }
        }
        set {
            switch home {
            case .free(let state): state.special = newValue?.simplified
            case .attached(let store):
                store.setSpecial(newValue?.simplified, at: slot)
                store.markMoved(slot)
            }
        }
    }

    private func forgetShear() {
        if isSpecial { special?.exact = nil }
    }

    /// The node's transform in its parent, without `pivot`. An affine matrix is stored exactly, including shear; setting orientation or scale
    /// afterwards removes the shear.
    public var transform: Matrix4 {
        get { special?.exact ?? localTransform.matrix }
        set {
            let local = Transform(newValue)
            localTransform = local
            guard !local.matrix.isClose(to: newValue) else { return }
            var special = special ?? SpecialTransform()
            special.exact = newValue
            self.special = special
        }
    }

    /// The frame, in the node's local coordinates, about which position, orientation and scale act: the origin of the pivot is at `position`. Moves
    /// the node's content and its children: `parentFromLocal = transform · pivot⁻¹`. The identity by default.
    ///
    /// ```swift
    /// door.pivot = Matrix4(translation: [-0.5, 0, 0])   // the hinge, half a metre left of the door's middle
    /// door.eulerAngles.y = .pi / 2
    /// ```
    /// - Precondition: The matrix is invertible.
    public var pivot: Matrix4 {
        get { special?.pivot ?? .identity }
        set {
            let inverse = newValue.inverse
            precondition(inverse.x.isFinite && inverse.y.isFinite && inverse.z.isFinite && inverse.w.isFinite, "a pivot must be invertible")
            var special = special ?? SpecialTransform()
            (special.pivot, special.inversePivot) = newValue == .identity ? (nil, nil) : (newValue, inverse)
            self.special = special
        }
    }

    /// The transform from the node's frame to its parent's: `transform · pivot⁻¹`.
    public var parentFromLocal: Matrix4 {
        special?.parentFromLocal(localTransform) ?? localTransform.matrix
    }

    /// The position in metres in the parent's frame.
    public var position: Vector3 {
        get { localTransform.translation }
        set {
            changeLocal { $0.translation = newValue }
            // A new position keeps the shear.
            guard isSpecial, var special, let exact = special.exact else { return }
            special.exact = Matrix4(exact.linear, translation: newValue)
            self.special = special
        }
    }

    /// The rotation in the parent's frame.
    public var orientation: Quaternion {
        get { localTransform.rotation }
        set {
            changeLocal { $0.rotation = newValue }
            forgetShear()
        }
    }

    /// The rotation as angles in radians about x, then y, then z of the parent's axes.
    public var eulerAngles: Vector3 {
        get { orientation.eulerAngles }
        set { orientation = Quaternion(eulerAngles: newValue) }
    }

    /// The scale along the node's axes. Default 1.
    public var scale: Vector3 {
        get { localTransform.scale }
        set {
            changeLocal { $0.scale = newValue }
            forgetShear()
        }
    }

    /// `worldFromLocal` with constraints applied, up to date even before `Scene.update()`. In a scene with constraints, reading it after a change
    /// updates the scene.
    public var worldTransform: Matrix4 {
        if let store, store.mayHaveConstraints { store.update() }
        if let store, !store.anythingMoved { return store.worldTransforms[Int(slot)] }
        var matrix = parentFromLocal
        var ancestor = parent
        while let node = ancestor {
            matrix = node.parentFromLocal * matrix
            ancestor = node.parent
        }
        return matrix
    }

    /// The position in metres in the world frame.
    public var worldPosition: Vector3 { worldTransform.translation }

    /// Rotates the node so that its −Z points at `target`, a point in the parent's frame, with +Y as close to `up` as possible.
    public func look(at target: Vector3, up: Vector3 = .up) {
        orientation = Quaternion(Matrix4.lookAt(eye: position, target: target, up: up).linear)
    }

    /// Converts a point from this node's frame to the frame of `node`, or to the world frame if nil.
    public func convert(point: Vector3, to node: Node?) -> Vector3 {
        let world = worldTransform.transform(point: point)
        return node.map { $0.worldTransform.affineInverse.transform(point: world) } ?? world
    }

    /// Converts a point from the frame of `node`, or from the world frame if nil, to this node's frame.
    public func convert(point: Vector3, from node: Node?) -> Vector3 {
        let world = node.map { $0.worldTransform.transform(point: point) } ?? point
        return worldTransform.affineInverse.transform(point: world)
    }
}

// MARK: Appearance

extension Node {
    /// The opacity, 0…1, multiplied with that of the ancestors.
    public var opacity: Float {
        get {
            switch home {
            case .free(let state): state.opacity
            case .attached(let store): store.inputs.pointee.opacities[Int(slot)]
            }
        }
        set {
            switch home {
            case .free(let state): state.opacity = newValue
            case .attached(let store):
                store.inputs.pointee.opacities[Int(slot)] = newValue
                store.markMoved(slot)
            }
        }
    }

    /// Whether the node and its descendants are hidden.
    public var isHidden: Bool {
        get {
            switch home {
            case .free(let state): state.isHidden
            case .attached(let store): store.inputs.pointee.flags[Int(slot)].contains(.isHidden)
            }
        }
        set {
            switch home {
            case .free(let state): state.isHidden = newValue
            case .attached(let store):
                if newValue {
                    store.inputs.pointee.flags[Int(slot)].insert(.isHidden)
                } else {
                    store.inputs.pointee.flags[Int(slot)].remove(.isHidden)
                }
                store.markMoved(slot)
            }
        }
    }

    /// The categories of the node. Lights and cameras that share no bit with it ignore the node.
    public var categoryBitMask: UInt32 {
        get {
            switch home {
            case .free(let state): state.categoryBitMask
            case .attached(let store): store.categoryBitMasks[Int(slot)]
            }
        }
        set {
            switch home {
            case .free(let state): state.categoryBitMask = newValue
            case .attached(let store): store.setCategoryBitMask(newValue, at: slot)
            }
        }
    }

    /// Whether the node's mesh casts shadows of lights with `castsShadow`. Default true.
    public var castsShadow: Bool {
        get {
            switch home {
            case .free(let state): state.castsShadow
            case .attached(let store): store.castsShadow(at: slot)
            }
        }
        set {
            switch home {
            case .free(let state): state.castsShadow = newValue
            case .attached(let store): store.setCastsShadow(newValue, at: slot)
            }
        }
    }

    /// The drawing order: nodes with greater values are drawn later. Default 0.
    public var renderingOrder: Int {
        get {
            switch home {
            case .free(let state): Int(state.renderingOrder)
            case .attached(let store): Int(store.renderingOrders[Int(slot)])
            }
        }
        set {
            let value = Int32(clamping: newValue)
            switch home {
            case .free(let state): state.renderingOrder = value
            case .attached(let store): store.setRenderingOrder(value, at: slot)
            }
        }
    }

    /// The first material of the node's mesh.
    public var material: Material? { mesh?.parts.first?.material }
}

// MARK: Copies

extension Node {
    private var copiedState: State {
        switch home {
        case .attached(let store): store.state(of: slot)
        case .free(let state):
            State(
                local: state.local, special: state.special, opacity: state.opacity, isHidden: state.isHidden,
                categoryBitMask: state.categoryBitMask, renderingOrder: state.renderingOrder, castsShadow: state.castsShadow)
        }
    }

    /// Returns a copy of the node's values, without children and parent.
    func shallowCopy() -> Node {
        let copy = Node(name: name, mesh: mesh, state: copiedState)
        copy.camera = camera
        copy.light = light
        copy.skin = skin
        copy.morphWeights = morphWeights
        copy.constraints = constraints
        return copy
    }
}
