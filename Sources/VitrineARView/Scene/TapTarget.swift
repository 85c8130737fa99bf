import VitrineAR
import VitrineMath

/// The pose for an object placed by a tap.
public struct TapTarget: Equatable, Sendable {
    /// The pose of the tapped point in the world; its y axis points up or along the surface's normal.
    public let transform: Matrix4
    /// Whether it lies on a surface; otherwise it is in front of the camera.
    public let isOnSurface: Bool
    /// The camera's position if the surface is estimated and a detected plane may correct it later. Pass it to
    /// `ARAnchor.init(name:transform:identifier:estimatedFrom:)`. nil on a detected plane and without a surface.
    public let estimatedFrom: Vector3?

    init(transform: Matrix4, isOnSurface: Bool, estimatedFrom: Vector3? = nil) {
        (self.transform, self.isOnSurface, self.estimatedFrom) = (transform, isOnSurface, estimatedFrom)
    }

    /// The distance in front of the camera without a surface, in metres.
    public static let distanceAhead: Float = 0.3
}

extension ARFrame {
    /// The pose for an object placed by a tap: on the visible surface, a detected plane before an estimated one; without a surface 0.3 m in front
    /// of the camera, `camera.transform` × translate(0, 0, −0.3).
    ///
    /// On a surface, +z points to the camera.
    ///
    /// - Parameters:
    ///   - point: A point of the view in the units of `viewportSize`, right and down from the view's upper left corner.
    public func tapTarget(at point: Vector2, orientation: InterfaceOrientation = .landscapeRight, viewportSize: Vector2) -> TapTarget {
        let imagePoint = imagePoint(at: point, orientation: orientation, viewportSize: viewportSize)
        for target in [ARRaycastQuery.Target.existingPlaneGeometry, .estimatedPlane] {
            if let hit = raycast(raycastQuery(from: imagePoint, allowing: target, alignment: .any)).first {
                return TapTarget(
                    transform: facingCamera(hit.worldTransform), isOnSurface: true,
                    estimatedFrom: target == .estimatedPlane ? camera.transform.translation : nil)
            }
        }
        return TapTarget(transform: camera.transform * Matrix4(translation: Vector3(0, 0, -TapTarget.distanceAhead)), isOnSurface: false)
    }

    /// A surface's frame rotated about its normal so that +z points to the camera.
    private func facingCamera(_ surface: Matrix4) -> Matrix4 {
        let normal = normalize(surface.y.xyz)
        let toCamera = camera.transform.translation - surface.translation
        let back = normalize(toCamera - normal * dot(toCamera, normal))
        guard back != Vector3(repeating: 0) else { return surface }
        return Matrix4(Matrix3(cross(normal, back), normal, back), translation: surface.translation)
    }
}
