import Foundation
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineReconstruct

@Suite struct DetailTests {
    @Test(arguments: [
        (PhotogrammetrySession.Request.Detail.preview, 25_000, 1_024), (.reduced, 50_000, 2_048), (.medium, 100_000, 4_096),
        (.full, 250_000, 8_192), (.raw, 30_000_000, 8_192),
    ])
    func limitsMatchTheDocumentedTable(detail: PhotogrammetrySession.Request.Detail, triangles: Int, texture: Int) {
        let limits = DetailLimits.limits(of: detail, custom: .init())
        #expect(limits.triangles == triangles)
        #expect(limits.textureDimension == texture)
        switch detail {
        case .full: #expect(limits.maps == .all)
        case .raw: #expect(limits.maps == .diffuseColor)
        default: #expect(limits.maps == [.diffuseColor, .normal, .ambientOcclusion])
        }
    }

    @Test func customLimitsFollowTheSpecification() {
        var custom = PhotogrammetrySession.Configuration.CustomDetailSpecification()
        (custom.maximumPolygonCount, custom.maximumTextureDimension, custom.textureFormat) = (1_234, .oneK, .png)
        custom.outputTextureMaps = [.diffuseColor, .roughness]
        let limits = DetailLimits.limits(of: .custom, custom: custom)
        #expect((limits.triangles, limits.textureDimension) == (1_234, 1_024))
        #expect(limits.textureFormat == .png)
        #expect(limits.maps == [.diffuseColor, .roughness])
        #expect(limits.depthDimension == DetailLimits.limits(of: .preview, custom: custom).depthDimension)
    }

    @Test func smallerBudgetsReducePhotos() {
        let sizes = Array(repeating: PhotoSize(width: 8_000, height: 6_000), count: 40)
        func plan(_ gigabytes: Double) -> MemoryPlan {
            MemoryPlan(sizes: sizes, budget: Int(gigabytes * 1e9), threads: 2, depthDimension: 1_600, textureDimension: 2_048)
        }
        let (small, large) = (plan(1.3), plan(16))
        #expect(large.photoDimension == 8_000)
        #expect(large.depthDimension == 1_600)
        #expect(large.fits)
        #expect(small.photoDimension < 8_000)
        #expect(small.needed <= small.budget)
        #expect(!plan(0.3).fits)
    }

    @Test func smallBudgetsLimitTheFeaturesOfManyPhotos() {
        func plan(_ count: Int, _ gigabytes: Double) -> MemoryPlan {
            MemoryPlan(
                sizes: Array(repeating: PhotoSize(width: 640, height: 480), count: count), budget: Int(gigabytes * 1e9), threads: 2,
                depthDimension: 1_024, textureDimension: 2_048)
        }
        #expect(plan(500, 4).featureLimit == nil && plan(1_000, 4).featureLimit == 7_300)
        #expect(plan(1_000, 4).needed > plan(500, 4).needed)
        let limited = plan(2_000, 4)
        #expect(limited.featureLimit.map { $0 > 3_000 && $0 < 8_000 } == true)
        #expect(limited.fits && limited.needed > limited.budget * 9 / 10)
        #expect(plan(2_000, 0.5).featureLimit == 1_000 && !plan(2_000, 0.5).fits)
    }

    /// A thousand photos of 24 megapixels at `reduced`; the surface of the largest cloud at every level of detail.
    @Test func manyPhotosFitIntoFourGigabytes() {
        let sizes = Array(repeating: PhotoSize(width: 6_000, height: 4_000), count: 1_000)
        for (triangles, texture, depth) in [
            (25_000, 1_024, 640), (50_000, 2_048, 1_024), (250_000, 8_192, 2_400), (30_000_000, 8_192, 3_200),
        ] {
            let plan = MemoryPlan(
                sizes: sizes, areReducible: true, budget: 4_000_000_000, threads: 2, depthDimension: depth, textureDimension: texture,
                triangles: triangles)
            #expect(plan.fits, "\(triangles)")
            #expect(plan.depthDimension == depth && plan.featureLimit == 7_300)
            #expect(plan.mostPoints > 2_000_000 && plan.surfaceBytes(points: plan.mostPoints) <= plan.budget * 3 / 4)
            #expect(plan.surfaceBytes(points: plan.mostPoints * 11 / 10) > plan.budget * 3 / 4)
            if texture == 2_048 { #expect(plan.photoDimension == 6_000) }
        }
    }

    /// Many threads or a GPU work on several photos at once if the memory suffices; they share the room of the photos in memory.
    @Test func photosAtOnceFollowThreadsAndMemory() {
        func plan(_ gigabytes: Double, threads: Int) -> MemoryPlan {
            MemoryPlan(
                sizes: Array(repeating: PhotoSize(width: 4_000, height: 3_000), count: 20), areReducible: true,
                budget: Int(gigabytes * 1e9),
                threads: threads, depthDimension: 2_400, textureDimension: 2_048)
        }
        #expect(plan(8, threads: 2).photosAtOnce(isOnGPU: false) == 1)
        #expect(plan(8, threads: 2).photosAtOnce(isOnGPU: true) == 3)
        #expect(plan(64, threads: 32).photosAtOnce(isOnGPU: false) == 8)
        let tight = plan(3, threads: 16)
        #expect(tight.photosAtOnce(isOnGPU: false) < 4)
        #expect(plan(2, threads: 2).photosAtOnce(isOnGPU: true) >= 1)
        #expect(plan(8, threads: 2).viewBytes(photosAtOnce: 3) < plan(8, threads: 2).viewBytes())
    }

    /// A small memory thins the cloud instead of exceeding the budget; a surface that does not fit is reported.
    @Test func smallBudgetsThinTheCloud() {
        func plan(_ gigabytes: Double, triangles: Int = 50_000) -> MemoryPlan {
            MemoryPlan(
                sizes: Array(repeating: PhotoSize(width: 640, height: 480), count: 300), budget: Int(gigabytes * 1e9), threads: 2,
                depthDimension: 1_024, textureDimension: 1_024, triangles: triangles)
        }
        for (gigabytes, triangles) in [(0.6, 50_000), (1, 50_000), (1, 30_000_000), (4, 50_000)] {
            let plan = plan(gigabytes, triangles: triangles)
            #expect(plan.fits && plan.surfaceBytes(points: plan.mostPoints) < plan.budget * 4 / 5, "\(gigabytes) GB, \(triangles)")
        }
        #expect(plan(0.6).mostPoints < 1_100_000)
        // The limit of triangles needs more.
        let large = plan(0.3, triangles: 250_000)
        #expect(!large.fits && large.mostPoints == 250_000)
    }

    /// The number of blocks of photos of 24 megapixels.
    private static func blocks(_ photos: Int, searched: Double = 1, gigabytes: Double = 4) -> Int {
        let sizes = Array(repeating: PhotoSize(width: 6_000, height: 4_000), count: photos)
        let memory = MemoryPlan(
            sizes: sizes, areReducible: true, budget: Int(gigabytes * 1e9), threads: 2, depthDimension: 2_400, textureDimension: 2_048)
        return FusionBlockStage.largestCount(sizes, depthDimension: 2_400, searched: searched, memory: memory, wanted: nil)
    }

    /// Few photos are fused in blocks only if their points may exceed the memory; blocks are smaller for less memory.
    @Test func blocksFollowTheMemory() {
        #expect(Self.blocks(5) == 0)
        #expect(Self.blocks(20) == 3)
        #expect(Self.blocks(40, searched: 0.15) == 0)
        #expect(Self.blocks(40) == 7)
        #expect(Self.blocks(129, searched: 0.01) == 24)
        #expect(Self.blocks(20, gigabytes: 1) == 15)
    }

    /// Large textures don't reduce photos; JPEG photos of 100 megapixels are decoded at a fraction of their size.
    @Test func photosAreReducedOnlyIfItHelps() {
        let sizes = [PhotoSize(width: 4_000, height: 3_000)]
        let textured = MemoryPlan(sizes: sizes, budget: 1 << 31, threads: 2, depthDimension: 2_400, textureDimension: 8_192)
        #expect(!textured.fits)
        #expect(textured.photoDimension > 2_000 && textured.depthDimension > 1_600)
        func large(_ areReducible: Bool) -> MemoryPlan {
            MemoryPlan(
                sizes: [PhotoSize(width: 12_000, height: 9_000)], areReducible: areReducible, budget: 1 << 30, threads: 2,
                depthDimension: 1_024, textureDimension: 2_048)
        }
        #expect(large(true).fits && !large(false).fits)
        #expect(large(true).photoDimension > large(false).photoDimension)
    }

    @Test func orientedBoxContainsTheSamePoints() {
        let box = OrientedBoundingBox(
            bounds: BoundingBox(minimum: Vector3(1, -1, -1), maximum: Vector3(3, 1, 1)),
            orientation: Quaternion(angle: .degrees(90), axis: .up))
        let inner = OrientedBox(box)
        // The box's +X is the model's −Z.
        #expect(box.contains(Vector3(0, 0, -2)) && inner.contains(Vector3d(0, 0, -2)))
        #expect(!box.contains(Vector3(2, 0, 0)) && !inner.contains(Vector3d(2, 0, 0)))
    }

    @Test func poseRoundTripThroughCamera() throws {
        let pose = PhotogrammetrySession.Pose(
            translation: Vector3(0.1, 0.4, 0.9), rotation: Quaternion(eulerAngles: Vector3(0.3, -0.7, 0.1)),
            intrinsics: .init(
                width: 640, height: 480, focalLength: SIMD2(600, 610), principalPoint: SIMD2(321, 239), distortion: .radial(0.1)))
        let camera = try #require(PosedCamera(pose, size: PhotoSize(width: 640, height: 480)))
        let back = PhotogrammetrySession.Pose(camera)
        #expect(length(back.translation - pose.translation) < 1e-6)
        #expect(abs(abs((back.rotation.vector * pose.rotation.vector).sum()) - 1) < 1e-6)
        #expect(back.intrinsics == pose.intrinsics)
        // A point on the optical axis projects to the principal point.
        let ahead = pose.translation + pose.rotation.rotate(Vector3.forward)
        let pixel = camera.project(Vector3d(ahead))
        #expect(abs(pixel.x - 321) < 1e-3 && abs(pixel.y - 239) < 1e-3)
    }
}
