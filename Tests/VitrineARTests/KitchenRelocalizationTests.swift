import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineTestSupport
import VitrineVision

@testable import VitrineAR
@testable import VitrineMapping

/// A landmark map of real images with known poses: every other image of a kitchen makes the map, the others relocalize in it.
@Suite struct KitchenRelocalizationTests {
    @Test(.enabled(if: SharedData.has(KitchenData.path), SharedData.missing)) func relocalizesBetweenTheKeyframes() throws {
        let (kitchen, settings) = (try KitchenData(), RelocalizationSettings())
        let poses = kitchen.views.map {
            RigidTransform(rotation: $0.worldFromCamera.rotation.orthonormalized, translation: $0.worldFromCamera.translation)
        }
        let folder = try SharedData.url(KitchenData.path + "/images")
        let frames = try kitchen.views.map { view -> CapturedFrame in
            let image = CapturedImage(try Image(contentsOf: folder.appendingPathComponent("\(view.name).color.jpg")))
            var pyramid = ImagePyramid()
            pyramid.build(image.luma, maximumWidth: 640, levels: 4)
            return CapturedFrame([], pyramid, time: 0, isKeyframe: false, isQuery: false)
        }
        func features(_ number: Int, isQuery: Bool) -> FrameFeatures {
            FrameFeatures(
                frames[number], at: poses[number], camera: KitchenData.camera, count: settings.corners,
                isQuery: isQuery)
        }
        var map = LandmarkMap()
        for number in stride(from: 0, to: frames.count, by: 2) {
            map.insert(
                features(number, isQuery: false), at: poses[number], camera: KitchenData.camera, submap: 0, id: number,
                drift: DriftVariance(), settings)
        }
        map = try LandmarkMap(encoded: map.encoded())
        #expect(map.keyframeCount == 25 && map.landmarkCount > 1000)
        var (own, others): ([Double], [Double]) = ([], [])
        for number in frames.indices {
            let truth = poses[number]
            // Heading and position are unknown.
            let turn = Matrix3d.rotation(Vector3d(0, 2, 0))
            let query = RelocalizationQuery(
                settings: settings, features: features(number, isQuery: true),
                pose: RigidTransform(rotation: turn * truth.rotation, translation: .zero), camera: KitchenData.camera, time: 0,
                tilt: settings.tilt)
            guard let match = query.match(in: map, where: { _ in true }) else { continue }
            let angle = length((truth.rotation.transpose * match.worldFromCamera.rotation).rotationVector)
            let error = length(match.worldFromCamera.translation - truth.translation)
            #expect(error < 0.1 && angle < 0.09, "image \(number)")
            if number % 2 == 0 { own.append(error) } else { others.append(error) }
        }
        if ProcessInfo.processInfo.environment["VITRINE_FIGURES"] != nil {
            print(
                "kitchen: \(map.landmarkCount) landmarks, \(own.count) of 25 own images, median error \(own.sorted()[own.count / 2]) m, "
                    + "\(others.count) of 25 others, median \(others.sorted()[others.count / 2]) m, largest \(others.max() ?? 0) m")
        }
        #expect(own.count >= 24)
        #expect(others.count >= 18)
    }
}
