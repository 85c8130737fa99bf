import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Which shadow maps a frame has, and where they look: mathematics only.
struct ShadowPlanTests {
    private func casters(_ spheres: [Vector4]) -> ShadowCasters {
        ShadowCasters(spheres.enumerated().map { ShadowCasters.Caster(record: UInt32($0.offset), sphere: $0.element, categories: 1) })
    }

    private func depths(_ eye: Vector3, _ target: Vector3, fieldOfView: Float = 60) -> ViewDepths {
        let camera = Camera(projection: .perspective(fieldOfView: .degrees(fieldOfView)), near: 0.1)
        return ViewDepths(View(camera: camera, worldFromCamera: .lookAt(eye: eye, target: target)), aspectRatio: 1.5)
    }

    private func sun(_ direction: Vector3 = Vector3(-1, -2, -0.5)) -> (Light, Matrix4) {
        (Light(.directional, castsShadow: true), .lookAt(eye: -direction, target: Vector3(0, 0, 0)))
    }

    /// A row of posts 300 m long.
    private var road: ShadowCasters { casters((0..<50).map { Vector4(0, 1, -6 * Float($0), 1.5) }) }

    @Test func aSmallSceneHasOneMapThatStays() {
        let small = casters([Vector4(0, 1, 0, 1), Vector4(1, 1, 0, 0.5)])
        let (light, world) = sun()
        var plans: [[ShadowView]] = []
        for eye in [Vector3(0, 2, 6), Vector3(5, 1, 3), Vector3(-8, 20, 0)] {
            var plan = ShadowPlan(small)
            #expect(plan.add(light, world, seenBy: depths(eye, Vector3(0, 1, 0))) == ShadowReference(kind: .cascades, first: 0, count: 1))
            plans.append(plan.views)
        }
        #expect(plans[0] == plans[1])
        #expect(plans[0] == plans[2])
    }

    @Test func aLargeSceneHasCascadesThatGrow() {
        var plan = ShadowPlan(road)
        let (light, world) = sun()
        let reference = plan.add(light, world, seenBy: depths(Vector3(0, 2, 0), Vector3(0, 2, -10)))
        #expect(reference.count == 4)
        for (a, b) in zip(plan.views, plan.views.dropFirst()) { #expect(a.texel < b.texel) }
        #expect(plan.views[0].texel < 0.03)
        #expect(plan.views.dropLast().allSatisfy { $0.fadesAtEdge })
    }

    /// Every point of the road that is seen lies in a cascade.
    @Test func cascadesCoverTheView() {
        var plan = ShadowPlan(road)
        let (light, world) = sun()
        _ = plan.add(light, world, seenBy: depths(Vector3(0, 2, 0), Vector3(0, 2, -10)))
        for depth in stride(from: Float(0.5), to: 250, by: 1.7) {
            for (x, y) in [(0, 0), (-1, -1), (1, 1), (1, -1)] as [(Float, Float)] {
                let half = depth * tan(.pi / 6)
                let point = Vector3(x * min(half * 1.5, 3), 2 + y * min(half, 2), -depth)
                let isHeld = plan.views.contains {
                    let clip = $0.clipFromWorld.project(point)
                    return abs(clip.x) <= 1 && abs(clip.y) <= 1
                }
                #expect(isHeld, "\(point)")
            }
        }
    }

    /// Turning the camera moves maps by whole texels only, and never changes their size.
    @Test func turningTheCameraMovesMapsByWholeTexels() {
        let (light, world) = sun()
        func views(_ angle: Float) -> [ShadowView] {
            var plan = ShadowPlan(road)
            _ = plan.add(light, world, seenBy: depths(Vector3(0, 2, 0), Vector3(10 * sin(angle), 2, -10 * cos(angle))))
            return plan.views
        }
        let still = views(0)
        for angle in [0.01, 0.1, 0.5] as [Float] {
            for (a, b) in zip(still, views(angle)) {
                #expect(a.texel == b.texel)
                let (p, q) = (a.clipFromWorld.project(Vector3(0, 0, 0)), b.clipFromWorld.project(Vector3(0, 0, 0)))
                let moved = (q - p) * Float(a.resolution) / 2
                #expect(abs(moved.x - moved.x.rounded()) < 0.02)
                #expect(abs(moved.y - moved.y.rounded()) < 0.02)
            }
        }
    }

    @Test func lightsOutsideTheSceneHaveOneMapLightsInsideSix() {
        let scene = casters([Vector4(0, 1, 0, 1), Vector4(2, 1, 0, 1)])
        let camera = depths(Vector3(0, 2, 6), Vector3(0, 1, 0))
        for kind in [Light.Kind.point, .rectangle(width: 1, height: 1), .disc(radius: 1), .spot(inner: .degrees(60), outer: .degrees(80))] {
            var plan = ShadowPlan(scene)
            let light = Light(kind, castsShadow: true)
            #expect(plan.add(light, .lookAt(eye: Vector3(0, 8, 3), target: Vector3(0, 0, 0)), seenBy: camera).kind == .single)
            #expect(plan.add(light, .lookAt(eye: Vector3(1, 2.2, 0), target: Vector3(0, 0, 0)), seenBy: camera).kind == .cube)
            #expect(plan.views.count == 7)
        }
        var plan = ShadowPlan(scene)
        let narrow = Light(.spot(inner: .degrees(10), outer: .degrees(20)), castsShadow: true)
        #expect(plan.add(narrow, .lookAt(eye: Vector3(1, 2.2, 0), target: Vector3(0, 0, 0)), seenBy: camera).kind == .single)
    }

    /// The six sides see every direction once; their order is the shader's.
    @Test func cubesHaveNoHoles() {
        var plan = ShadowPlan(casters([Vector4(0, 0, 0, 5)]))
        let at = Vector3(0.5, 0.25, -1)
        _ = plan.add(Light(.point, castsShadow: true), Matrix4(translation: at), seenBy: depths(Vector3(0, 2, 6), Vector3(0, 1, 0)))
        var random = SplitMix64(seed: 3)
        for _ in 0..<500 {
            func part() -> Float { Float(random.below(2001)) / 1000 - 1 }
            let direction = Vector3(part(), part(), part())
            guard length(direction) > 0.1 else { continue }
            let sizes = direction.magnitudes
            let side =
                sizes.x >= sizes.y && sizes.x >= sizes.z
                ? (direction.x >= 0 ? 0 : 1) : sizes.y >= sizes.z ? (direction.y >= 0 ? 2 : 3) : (direction.z >= 0 ? 4 : 5)
            let clip = plan.views[side].clipFromWorld * Vector4(at + direction * 3, 1)
            #expect(clip.w > 0)
            #expect(abs(clip.x / clip.w) <= 1)
            #expect(abs(clip.y / clip.w) <= 1)
        }
    }

    @Test func atlasTilesDoNotOverlap() throws {
        let sizes = [512, 2048, 64, 1024, 1024, 512, 64, 2048, 128]
        let atlas = try #require(ShadowAtlas(tiles: sizes, limit: 8192))
        #expect(atlas.size == SIMD2(4096, 4096))
        for i in sizes.indices {
            let a = atlas.corners[i]
            #expect(a.x + sizes[i] <= atlas.size.x && a.y + sizes[i] <= atlas.size.y)
            for j in sizes.indices where j != i {
                let b = atlas.corners[j]
                let isApart = a.x + sizes[i] <= b.x || b.x + sizes[j] <= a.x || a.y + sizes[i] <= b.y || b.y + sizes[j] <= a.y
                #expect(isApart, "\(i) and \(j)")
            }
        }
        #expect(ShadowAtlas(tiles: [4096, 4096], limit: 4096) == nil)
        // Three cubes: not the 8192 × 8192 texels of the next power of two.
        let cubes = try #require(ShadowAtlas(tiles: [Int](repeating: 1024, count: 18), limit: 8192))
        #expect(cubes.size == SIMD2(6144, 4096))
    }

    @Test func tooManyTexelsMakeAllMapsCoarser() throws {
        var plan = ShadowPlan(casters([Vector4(0, 0, 0, 1)]))
        for _ in 0..<20 {
            var light = Light(.directional, castsShadow: true)
            light.shadow.resolution = 2048
            _ = plan.add(light, .identity, seenBy: depths(Vector3(0, 2, 6), Vector3(0, 1, 0)))
        }
        let before = plan.views[0]
        try plan.pack(limit: 8192)
        #expect(plan.atlasSize.max() <= 8192)
        #expect(plan.views[0].resolution == 1024)
        #expect(plan.views[0].texel == before.texel * 2)
        #expect(throws: RenderError.self) { try plan.pack(limit: 64) }
    }

    @Test func distancesOfTrianglesAreExact() {
        let (a, b, c) = (Vector3(-1, -1, 2), Vector3(1, -1, 2), Vector3(0, 1, 2))
        #expect(CasterTriangles.squaredDistance(a, b, c) == 4)
        // Beside an edge, beyond a corner, and without area.
        let aside = Vector3(5, 0, 0)
        #expect(abs(CasterTriangles.squaredDistance(a - Vector3(0, 3, 0), b - Vector3(0, 3, 0), c - Vector3(0, 3, 0)) - 8) < 1e-5)
        #expect(abs(CasterTriangles.squaredDistance(a + aside, b + aside, c + aside) - (16 + 1 + 4)) < 1e-4)
        #expect(abs(CasterTriangles.squaredDistance(a, a, b) - 5) < 1e-5)
    }

    /// A light in an open box, which contains it, and behind whose plane one of the walls lies.
    @Test func meshesAroundALightAreMeasuredByTriangle() throws {
        let box = try #require(CasterTriangles(.box(size: Vector3(4, 4, 4)), worldFromLocal: Matrix4(translation: Vector3(0, 2, 0))))
        #expect(abs(box.distance(to: Vector3(0, 3, 0), ahead: nil) - 1) < 1e-5)
        // Downwards: the walls to the sides, 2 m away, not the ceiling.
        #expect(abs(box.distance(to: Vector3(0, 3, 0), ahead: Vector3(0, -1, 0)) - 2) < 1e-5)
        #expect(CasterTriangles(.sphere(radius: 1, segments: 200), worldFromLocal: .identity) == nil)
    }

    /// The points of a light's samples average to its middle.
    @Test func lightSamplesBalance() {
        for count in [4, 16, 64] {
            var (disc, square) = (Vector2(0, 0), Vector2(0, 0))
            for index in 0..<count {
                let sample = LightSample(index: index, count: count)
                #expect(length(sample.onDisc) <= 1)
                #expect(abs(sample.onSquare.x) <= 1 && abs(sample.onSquare.y) <= 1)
                disc += sample.onDisc
                square += sample.onSquare
            }
            let tolerance = 0.8 / Float(count).squareRoot()
            #expect(length(disc) / Float(count) < tolerance)
            #expect(length(square) / Float(count) < tolerance)
        }
    }

    /// Median cut finds a sun: most of the light from its direction, in a small angle.
    @Test func brightPartsOfAnEnvironmentAreFound() throws {
        let (width, height) = (128, 64)
        var values = [Float](repeating: 0.2, count: width * height * 4)
        // The centre of the image is +X; row 16 is 45° up.
        for y in 15...16 { for x in 63...64 { for c in 0..<3 { values[(y * width + x) * 4 + c] = 2000 } } }
        let image = try panorama(values, width: width, height: height)
        let lights = EnvironmentShadowLights(image, count: 16, of: .upperHalf).lights
        let toSun = normalize(Vector3(1, 1, 0))
        let sunny = lights.filter { dot($0.direction, toSun) > 0.99 }
        let share = sunny.reduce(Float(0)) { $0 + $1.weight } / lights.reduce(Float(0)) { $0 + $1.weight }
        #expect(share > 0.6)
        #expect(sunny.contains { $0.size < 0.1 })
    }
}
