import VitrineMath

extension Node {
    /// Translation, rotation and scale in the parent's frame.
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

    /// The one place where the local transform is written, so that no change goes unnoticed.
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

    /// Whether the transform has more than translation, rotation and scale; quick to ask, since most have not.
    private var isSpecial: Bool {
        switch home {
        case .free(let state): state.special != nil
        case .attached(let store): store.inputs.pointee.flags[Int(slot)].contains(.isSpecial)
        }
    }

    /// What the transform has beside translation, rotation and scale.
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

    /// The node's transform in its parent, `pivot` left out. An affine matrix is kept exactly, shear too; setting orientation or scale
    /// afterwards drops the shear.
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

    /// The frame, in the node's own coordinates, about which position, orientation and scale act: the pivot's origin comes
    /// to lie at `position`. Moves what the node shows and its children: `parentFromLocal = transform · pivot⁻¹`. The identity by default.
    ///
    /// ```swift
    /// door.pivot = Matrix4(translation: [-0.5, 0, 0])   // the hinge, half a metre left of the door's middle
    /// door.eulerAngles.y = .pi / 2
    /// ```
    /// - Precondition: Invertible.
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

    /// The node's frame in its parent's: `transform · pivot⁻¹`.
    public var parentFromLocal: Matrix4 {
        special?.parentFromLocal(localTransform) ?? localTransform.matrix
    }

    /// Metres, in the parent's frame.
    public var position: Vector3 {
        get { localTransform.translation }
        set {
            changeLocal { $0.translation = newValue }
            // Moving does not undo the shear.
            guard isSpecial, var special, let exact = special.exact else { return }
            special.exact = Matrix4(exact.linear, translation: newValue)
            self.special = special
        }
    }

    public var orientation: Quaternion {
        get { localTransform.rotation }
        set {
            changeLocal { $0.rotation = newValue }
            forgetShear()
        }
    }

    /// Radians about x, then y, then z of the parent's axes.
    public var eulerAngles: Vector3 {
        get { orientation.eulerAngles }
        set { orientation = Quaternion(eulerAngles: newValue) }
    }

    public var scale: Vector3 {
        get { localTransform.scale }
        set {
            changeLocal { $0.scale = newValue }
            forgetShear()
        }
    }

    /// `worldFromLocal` as it is shown, constraints applied; up to date also before `Scene.update()`. In a scene with constraints asking
    /// after a change updates the scene.
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

    public var worldPosition: Vector3 { worldTransform.translation }

    /// Turns the node so that its −Z points at `target`, a point in the parent's frame, with +Y as near `up` as can be.
    public func look(at target: Vector3, up: Vector3 = .up) {
        orientation = Quaternion(Matrix4.lookAt(eye: position, target: target, up: up).linear)
    }

    /// A point in this node's frame, seen from `node`'s; nil: the world's.
    public func convert(point: Vector3, to node: Node?) -> Vector3 {
        let world = worldTransform.transform(point: point)
        return node.map { $0.worldTransform.affineInverse.transform(point: world) } ?? world
    }

    /// A point in `node`'s frame (nil: the world's), seen from this node's.
    public func convert(point: Vector3, from node: Node?) -> Vector3 {
        let world = node.map { $0.worldTransform.transform(point: point) } ?? point
        return worldTransform.affineInverse.transform(point: world)
    }
}
