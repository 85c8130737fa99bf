import Vitrine
import VitrineAR

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The camera image with sprites at anchors: layers that are centred at the anchor's projection and face the camera.
///
/// ```swift
/// let board = SpriteBoard()
/// board.attach(try Layer(text: "cup", size: 24, color: .white), to: anchor)
/// …
/// board.update(with: frame, size: view.size)      // draw board.root
/// ```
public final class SpriteBoard {
    /// A layer of the view's size: the camera image with the sprites.
    public let root = Layer(name: "camera")
    /// The orientation of the view. Default `.landscapeRight`.
    public var orientation = InterfaceOrientation.landscapeRight
    private let camera = CameraDrawing()

    private struct Sprite {
        let identifier: UUID
        let layer: Layer
        /// The distance in metres at which it has its own size; nil for a constant size.
        let referenceDistance: Float?
        var distance: Float = 0
    }

    private var sprites: [Sprite] = []

    /// Creates an empty board.
    public init() { root.fill = .drawing(camera) }

    /// Shows a layer at an anchor in frames with the anchor.
    ///
    /// - Parameter referenceDistance: The distance from the camera in metres at which the layer has its own size; it scales with perspective. nil
    ///   (default) gives a constant size.
    public func attach(_ layer: Layer, to anchor: ARAnchor, referenceDistance: Float? = nil) {
        sprites.append(Sprite(identifier: anchor.identifier, layer: layer, referenceDistance: referenceDistance))
        layer.isHidden = true
        root.add(layer)
    }

    /// Removes the layers at an anchor.
    public func detach(from anchor: ARAnchor) {
        for sprite in sprites where sprite.identifier == anchor.identifier { sprite.layer.removeFromParent() }
        sprites.removeAll { $0.identifier == anchor.identifier }
    }

    /// Shows a frame: its image, and sprites at its anchors, nearer ones in front.
    ///
    /// - Parameter size: The view's size in points.
    public func update(with frame: ARFrame, size: Vector2) {
        root.frame = Rectangle(origin: Vector2(0, 0), size: size)
        camera.show(frame, orientation: orientation)
        for index in sprites.indices { place(&sprites[index], frame, size) }
        let order = sprites.indices.sorted { (-sprites[$0].distance, $0) < (-sprites[$1].distance, $1) }
        for (rank, index) in order.enumerated() { sprites[index].layer.zPosition = Float(rank) * 1e-3 }
    }

    private func place(_ sprite: inout Sprite, _ frame: ARFrame, _ size: Vector2) {
        let layer = sprite.layer
        guard let anchor = frame.anchors.first(where: { $0.identifier == sprite.identifier }),
            let position = frame.camera.projectPoint(anchor.transform.translation, orientation: orientation, viewportSize: size)
        else {
            layer.isHidden = true
            return
        }
        sprite.distance = distance(anchor.transform.translation, frame.camera.transform.translation)
        layer.isHidden = false
        layer.position = position
        if let reference = sprite.referenceDistance {
            let scale = reference / max(sprite.distance, 1e-3)
            layer.transform = Matrix4(scale: Vector3(scale, scale, 1))
        }
    }
}
