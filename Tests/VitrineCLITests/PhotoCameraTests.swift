import Foundation
import Testing
import Vitrine
import VitrineReconstruct
import VitrineTestSupport
import VitrineVision

@testable import VitrineCLI

/// The camera of `vitrine render --photo-camera`.
@Suite struct PhotoCameraTests {
    private static let pose = RigidTransform(rotation: .rotation(Vector3d(0.2, -0.3, 0.1)), translation: Vector3d(0.1, -0.05, 2))

    private static func camera(_ lens: CameraIntrinsics, in folder: URL) throws -> PhotoCamera {
        let camera = PosedCamera(intrinsics: lens, cameraFromWorld: pose)
        let model = SparseModel(
            cameras: [camera], groups: [CameraGroup(intrinsics: lens, lens: lens.distortion.model, photos: [0])], points: [],
            fits: [PhotoFit()], leftOut: [])
        let file = folder.appendingPathComponent("poses.json")
        try PosesFile(model, names: ["images/a.jpg"], isMetric: true).write(to: file)
        return try PhotoCamera(named: "a", in: file.path)
    }

    /// The pixel of a point in an image of a view, in which the first pixel's corner is 0.
    private static func pixel(_ point: Vector3d, _ view: View, width: Double, height: Double) throws -> Vector2d {
        let part = view.part ?? Rectangle(x: 0, y: 0, width: 1, height: 1)
        let whole = Vector2(Float(width), Float(height)) / part.size
        let projected = try #require(view.camera.project(Vector3(point), viewportSize: whole, worldFromCamera: view.worldFromCamera))
        let inPart = Vector2(projected.x, projected.y) - part.origin * whole
        return Vector2d(Double(inPart.x), Double(inPart.y))
    }

    @Test(arguments: [Vector2d(320, 240), Vector2d(350, 205), Vector2d(-40, 300)])
    func pointsLieWhereThePhotoHasThem(center: Vector2d) throws {
        try withTemporaryDirectory { folder in
            let lens = CameraIntrinsics(width: 640, height: 480, focal: Vector2d(500, 520), center: center)
            let photo = try Self.camera(lens, in: folder)
            #expect(photo.warnings.isEmpty)
            let view = photo.view(aspectRatio: 640.0 / 480)
            #expect((view.part == nil) == (center == Vector2d(320, 240)))
            for point in [Vector3d(0, 0, 0), Vector3d(0.4, 0.2, -0.3), Vector3d(-0.5, 0.3, 0.2)] {
                let expected = lens.project(Self.pose * point)
                let found = try Self.pixel(point, view, width: 640, height: 480)
                #expect(length(found - expected) < 0.01, "\(found) \(expected)")
                // A wider image has the same height, and the photo in its middle.
                let wide = try Self.pixel(point, photo.view(aspectRatio: 2), width: 960, height: 480)
                #expect(length(wide - expected - Vector2d(160, 0)) < 0.01, "\(wide) \(expected)")
            }
        }
    }

    @Test func distortionIsReported() throws {
        try withTemporaryDirectory { folder in
            let lens = CameraIntrinsics(
                width: 640, height: 480, focal: Vector2d(500, 500), center: Vector2d(320, 240), radial: Vector3d(-0.1, 0, 0))
            let warnings = try Self.camera(lens, in: folder).warnings
            #expect(warnings.count == 1 && warnings[0].contains("distortion"))
            #expect(throws: CommandError.self) {
                try PhotoCamera(named: "b.jpg", in: folder.appendingPathComponent("poses.json").path)
            }
        }
    }
}
