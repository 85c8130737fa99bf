import VitrineGeometry

/// The rectangle of a layer and its position in the space of its parent; see `Layer` for the coordinates.
struct LayerPlacement: Equatable {
    var bounds: Rectangle
    var position: Vector2
    var anchorPoint = Vector2(0.5, 0.5)
    var zPosition: Float = 0
    var transform = Matrix4.identity
    var sublayerTransform = Matrix4.identity
    var perspectiveDistance: Float?

    init(bounds: Rectangle, position: Vector2) { (self.bounds, self.position) = (bounds, position) }

    /// The rectangle of the parent that an untransformed layer covers.
    var frame: Rectangle {
        get { Rectangle(origin: position - anchorPoint * bounds.size, size: bounds.size) }
        set {
            bounds.size = newValue.size
            position = newValue.origin + anchorPoint * newValue.size
        }
    }

    /// The anchor point in the layer's coordinates.
    var anchor: Vector2 { bounds.origin + anchorPoint * bounds.size }

    /// The transform to the space of the parent's sublayers.
    var parentFromLayer: Matrix4 {
        let toAnchor = Matrix4(translation: Vector3(-anchor.x, -anchor.y, 0))
        return Matrix4(translation: Vector3(position.x, position.y, zPosition)) * (transform * toAnchor)
    }

    /// The transform of sublayers to the layer's space.
    var sublayerMatrix: Matrix4 {
        guard sublayerTransform != .identity || perspectiveDistance != nil else { return .identity }
        let about = Vector3(anchor.x, anchor.y, 0)
        let seen = perspectiveDistance.map { Matrix4(perspectiveDistance: $0) * sublayerTransform } ?? sublayerTransform
        return Matrix4(translation: about) * (seen * Matrix4(translation: -about))
    }

    /// Whether the bounds are finite and not empty.
    var hasExtent: Bool { bounds.size.x > 0 && bounds.size.y > 0 && bounds.size.isFinite && bounds.origin.isFinite }
}
