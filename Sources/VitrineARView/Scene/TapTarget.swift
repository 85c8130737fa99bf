import VitrineAR
import VitrineMath

/// Where a tap on the view puts something.
public struct TapTarget: Equatable, Sendable {
    /// World from the place: y is up, or the normal of the surface.
    public let transform: Matrix4
    /// Whether it lies on a surface; else it hangs in the air before the camera.
    public let isOnSurface: Bool

    /// How far ahead of the camera a thing is put where no surface is met, in metres.
    public static let distanceAhead: Float = 0.3
}

extension ARFrame {
    /// What a tap at a point of a view means: the surface that is seen there, a found plane before one that is guessed from points; 0.3 m ahead
    /// of the camera, camera.transform × translate(0, 0, −0.3), where there is none.
    ///
    /// Things on level surfaces face the camera with their +Z.
    ///
    /// - Parameters:
    ///   - point: In the units of `viewportSize`, right and down from the view's upper left corner.
    public func tapTarget(at point: Vector2, orientation: InterfaceOrientation = .landscapeRight, viewportSize: Vector2) -> TapTarget {
        let place = imagePoint(at: point, orientation: orientation, viewportSize: viewportSize)
        for target in [ARRaycastQuery.Target.existingPlaneGeometry, .estimatedPlane] {
            if let hit = raycast(raycastQuery(from: place, allowing: target, alignment: .any)).first {
                return TapTarget(transform: facingCamera(hit.worldTransform), isOnSurface: true)
            }
        }
        return TapTarget(transform: camera.transform * Matrix4(translation: Vector3(0, 0, -TapTarget.distanceAhead)), isOnSurface: false)
    }

    /// A surface's frame, turned about its normal so that +z points to the camera.
    private func facingCamera(_ surface: Matrix4) -> Matrix4 {
        let normal = normalize(surface.y.xyz)
        let toCamera = camera.transform.translation - surface.translation
        let back = normalize(toCamera - normal * dot(toCamera, normal))
        guard back != Vector3(repeating: 0) else { return surface }
        return Matrix4(Matrix3(cross(normal, back), normal, back), translation: surface.translation)
    }
}
