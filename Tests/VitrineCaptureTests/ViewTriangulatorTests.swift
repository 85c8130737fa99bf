import Testing
import VitrineAR
import VitrineMath
import VitrineSensorSimulation
import VitrineVision

@testable import VitrineCapture

/// Points triangulated from images, without a tracker's landmarks.
@Suite struct ViewTriangulatorTests {
    @Test func pointsLieOnTheSurfaces() async throws {
        let target = Vector3d(0.02, 0.83, -0.01)
        func key(_ time: Double, _ azimuth: Double) -> OrbitPath.Key {
            OrbitPath.Key(time: time, azimuth: azimuth * .pi / 180, elevation: 0.5, radius: 0.5)
        }
        var settings = TableTopSource.Settings()
        (settings.width, settings.frameRate, settings.hasDepth) = (320, 3, false)
        let source = try TableTopSource(OrbitPath(target: target, keys: [key(0, 0), key(4, 40)]), settings: settings)
        var store = LandmarkStore()
        while case .image(let sample)? = try await source.next() {
            let camera = ARCamera(transform: Matrix4(viewing: sample.worldFromCamera!), trackingState: .normal, model: source.rig.camera)
            store.add(ARFrame(timestamp: sample.time, capturedImage: sample.image, camera: camera), box: nil, distance: 0.5)
        }
        let landmarks = store.reliable
        #expect(landmarks.count > 80, "\(landmarks.count)")
        // The distance to the nearest surface: the table or a side of the box.
        let errors = landmarks.map { landmark in
            let local = source.object.boxFromWorld * landmark.position
            let outside = pointwiseMax(pointwiseMax(local, -local) - source.object.halfExtents, .zero)
            let inside = (source.object.halfExtents - pointwiseMax(local, -local)).min()
            let toBox = inside > 0 ? inside : length(outside)
            return min(toBox, abs(landmark.position.y - source.tableHeight))
        }
        #expect(quantile(errors, 0.5) < 0.002 && quantile(errors, 0.9) < 0.008, "\(quantile(errors, 0.5)), \(quantile(errors, 0.9))")
        // The stated uncertainty is that of the depth.
        #expect(landmarks.allSatisfy { $0.relativeDeviation > 0 && $0.relativeDeviation < 0.05 })
        #expect(landmarks.count { source.object.grown(by: 0.01).contains($0.position) && $0.position.y > source.tableHeight + 0.02 } > 30)
    }
}
