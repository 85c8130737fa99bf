import VitrineMath
import VitrineScene

extension Layer {
    /// The rectangle of the parent that an untransformed layer covers. Setting it moves the layer and gives its bounds this size.
    public var frame: Rectangle {
        get { Rectangle(origin: position - anchorPoint * bounds.size, size: bounds.size) }
        set {
            bounds.size = newValue.size
            position = newValue.origin + anchorPoint * newValue.size
        }
    }

    /// The anchor point in the layer's own coordinates.
    var anchor: Vector2 { bounds.origin + anchorPoint * bounds.size }

    /// The transform to the space of the parent's sublayers.
    public var parentFromLayer: Matrix4 {
        let toAnchor = Matrix4(translation: Vector3(-anchor.x, -anchor.y, 0))
        return Matrix4(translation: Vector3(position.x, position.y, zPosition)) * (transform * toAnchor)
    }

    /// The transform of sublayers to this layer's space.
    var sublayerMatrix: Matrix4 {
        guard sublayerTransform != .identity || perspectiveDistance != nil else { return .identity }
        let about = Vector3(anchor.x, anchor.y, 0)
        let seen = perspectiveDistance.map { Matrix4(perspectiveDistance: $0) * sublayerTransform } ?? sublayerTransform
        return Matrix4(translation: about) * (seen * Matrix4(translation: -about))
    }

    /// Whether the bounds are finite and not empty; a shape other than a path needs that.
    var hasExtent: Bool { bounds.size.x > 0 && bounds.size.y > 0 && bounds.size.isFinite && bounds.origin.isFinite }

    /// The radius of the corners as drawn.
    var drawnCornerRadius: Float {
        let shorter = min(bounds.size.x, bounds.size.y)
        switch shape {
        case .capsule: return shorter / 2
        case .rectangle: return cornerRadius > 0 ? min(cornerRadius, shorter / 2) : 0
        default: return 0
        }
    }

    /// Whether the layer needs a surface of its own before it is composited.
    var isIsolated: Bool {
        if mask != nil || blendMode != .normal || blur > 0 || shadow != nil || hasEffects { return true }
        if clipsToPath { return true }
        // The opacity of a single shape multiplies its colours.
        return opacity < 1 && !sublayers.isEmpty
    }

    var hasEffects: Bool { effects.contains { $0.isEnabled } }

    /// Whether sublayers are clipped to a path, which requires a mask.
    var clipsToPath: Bool {
        if clipsToBounds, !sublayers.isEmpty, case .path = shape { return true }
        return false
    }

    /// Whether sublayers share the 3D space of this layer.
    var preservesDepth: Bool { !isFlattened && !isIsolated && !clipsToBounds }

    /// The extent of the layer in its own plane: shape, stroke and sublayers, without blur and shadow.
    func extent(withSublayers: Bool = true, depth: Int = 0) -> Rectangle {
        var own = Rectangle.zero
        if case .path(let path, _) = shape {
            if let box = path.controlBounds { own = Rectangle(origin: box.minimum, size: box.maximum - box.minimum) }
        } else if hasExtent {
            own = bounds
        }
        if !own.isEmpty, let stroke { own = own.inset(by: -stroke.reach.outside) }
        guard withSublayers, !clipsToBounds, depth < LayerPlanner.greatestDepth else { return own }
        for layer in sublayers where !layer.isHidden {
            let inner = layer.extent(depth: depth + 1)
            if inner.isEmpty { continue }
            let map = Homography(sublayerMatrix * layer.parentFromLayer)
            let (low, high) = (SIMD2<Double>(inner.minimum), SIMD2<Double>(inner.maximum))
            for point in map.map([low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)]) {
                own = own.union(Rectangle(origin: Vector2(point), size: Vector2(repeating: 1e-3)))
            }
        }
        return own
    }
}
