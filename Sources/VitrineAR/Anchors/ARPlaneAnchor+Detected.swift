import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ARPlaneAnchor {
    /// The anchor of a detected plane, in the tracker's world.
    convenience init(_ plane: DetectedPlane, identifier: UUID) {
        self.init(
            transform: Matrix4(plane.worldFromPlane), identifier: identifier, alignment: plane.alignment,
            center: Vector3(plane.center),
            planeExtent: ARPlaneExtent(
                width: Float(plane.rectangle.width), height: Float(plane.rectangle.height),
                rotationOnYAxis: Float(plane.rectangle.rotationOnYAxis)),
            geometry: ARPlaneGeometry(boundaryVertices: plane.outline.map { Vector3(Float($0.x), 0, Float($0.y)) }),
            classification: plane.classification)
    }
}
