import Testing
import VitrineFiles
import VitrineGPU
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineRender

/// Cubes in every layout, blurred backgrounds, ground projection, preparation in slices.
@Suite struct EnvironmentLayoutTests {
    private static let size = 16

    /// Six faces of one colour each, with the upper left quarter brighter: turned or mirrored faces show.
    private func faces() throws -> [Image] {
        try (0..<6).map { face in
            var floats: [Float] = []
            for y in 0..<Self.size {
                for x in 0..<Self.size {
                    floats += [Float(face + 1), x < Self.size / 2 ? 1 : 0, y < Self.size / 2 ? 1 : 0, 1]
                }
            }
            return try Image(width: Self.size, height: Self.size, format: .rgba32Float, bytes: floats.withUnsafeBytes { [UInt8]($0) })
        }
    }

    /// The faces put together in another layout.
    private func cube(columns: Int, rows: Int, _ cells: [(Int, Int)], upsideDown: Int? = nil) throws -> Image {
        let faces = try faces()
        var bytes = [UInt8](repeating: 0, count: columns * rows * Self.size * Self.size * 16)
        for (face, cell) in cells.enumerated() {
            for y in 0..<Self.size {
                for x in 0..<Self.size {
                    let turned = face == upsideDown
                    let from = ((turned ? Self.size - 1 - y : y) * Self.size + (turned ? Self.size - 1 - x : x)) * 16
                    let to = ((cell.1 * Self.size + y) * columns * Self.size + cell.0 * Self.size + x) * 16
                    for byte in 0..<16 { bytes[to + byte] = faces[face].bytes[from + byte] }
                }
            }
        }
        return try Image(width: columns * Self.size, height: rows * Self.size, format: .rgba32Float, bytes: bytes)
    }

    private func light(_ panorama: Image, _ direction: Vector3) -> Vector3 {
        let d = normalize(direction)
        let x = (atan2(d.z, d.x) / (2 * Float.pi) + 0.5) * Float(panorama.width)
        let y = atan2((d.x * d.x + d.z * d.z).squareRoot(), d.y) / Float.pi * Float(panorama.height)
        let at = (min(Int(y), panorama.height - 1) * panorama.width + Int(x) % panorama.width) * 16
        return panorama.bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: SIMD4<Float>.self).xyz }
    }

    @Test func everyLayoutShowsTheSame() throws {
        let layouts = [
            try Image(cubeFaces: try faces()), try cube(columns: 1, rows: 6, (0..<6).map { (0, $0) }),
            try cube(columns: 4, rows: 3, [(2, 1), (0, 1), (1, 0), (1, 2), (1, 1), (3, 1)]),
            try cube(columns: 3, rows: 4, [(2, 1), (0, 1), (1, 0), (1, 2), (1, 1), (1, 3)], upsideDown: 5),
        ]
        for image in layouts {
            let panorama = try #require(image.unrolledCube())
            #expect(panorama.width == 64 && panorama.height == 32)
            // A viewer who looks along −Z sees +Z's face; to the right follow +X, −Z, −X; each upper left quarter is green and blue.
            for (face, ahead, right, up) in [
                (4, Vector3(0, 0, -1), Vector3(1, 0, 0), Vector3(0, 1, 0)), (0, Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, 1, 0)),
                (5, Vector3(0, 0, 1), Vector3(-1, 0, 0), Vector3(0, 1, 0)), (1, Vector3(-1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0)),
                (2, Vector3(0, 1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1)), (3, Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, -1)),
            ] {
                for (x, y) in [(-0.5, 0.5), (0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)] as [(Float, Float)] {
                    let seen = light(panorama, ahead + right * x + up * y)
                    #expect(length(seen - Vector3(Float(face + 1), x < 0 ? 1 : 0, y > 0 ? 1 : 0)) < 1e-4, "face \(face), \(x), \(y)")
                }
            }
        }
    }

    @Test func layoutFollowsFromAspectRatio() {
        #expect(EnvironmentLayout(width: 1024, height: 512) == .equirectangular)
        #expect(EnvironmentLayout(width: 96, height: 16) == .horizontalStrip)
        #expect(EnvironmentLayout(width: 16, height: 96) == .verticalStrip)
        #expect(EnvironmentLayout(width: 64, height: 48) == .horizontalCross)
        #expect(EnvironmentLayout(width: 48, height: 64) == .verticalCross)
        #expect(EnvironmentLayout(width: 64, height: 64) == nil)
        #expect(EnvironmentLayout(width: 0, height: 0) == nil)
    }

    @Test func unequalFacesAreNamed() throws {
        var faces = try faces()
        faces[3] = try Image(width: 8, height: 8, format: .rgba32Float, bytes: [UInt8](repeating: 0, count: 8 * 8 * 16), name: "ny.png")
        #expect(throws: ImageError.unequalFace(name: "ny.png", width: 8, height: 8)) { try Image(cubeFaces: faces) }
        #expect(throws: ImageError.wrongFaceCount(5)) { try Image(cubeFaces: Array(faces.prefix(5))) }
    }

    /// Integers of a strip are sRGB, as those of other images.
    @Test func lowDynamicRangeIsDecoded() throws {
        let strip = try Image(width: 48, height: 8, format: .rgba8, bytes: (0..<48 * 8).flatMap { _ in [128, 128, 128, 255] as [UInt8] })
        let panorama = try #require(strip.unrolledCube())
        #expect(abs(light(panorama, Vector3(0.3, 0.2, -1)).x - linearFromSRGB(128.0 / 255)) < 1e-5)
    }

    /// One light source of a few texels on a face: the irradiance is the sum over the cube's own texels.
    @Test(arguments: [(0, 20, 31), (4, 3, 60), (2, 40, 10)]) func lightSourceInAStripKeepsItsFlux(face: Int, x: Int, y: Int) throws {
        let size = 64
        var floats = [Float](repeating: 0, count: size * 6 * size * 4)
        var flux = 0.0
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            floats[((y + dy) * size * 6 + face * size + x + dx) * 4] = 2000
            let (s, t) = (Double(2 * (x + dx) + 1) / Double(size) - 1, Double(2 * (y + dy) + 1) / Double(size) - 1)
            flux += 2000 * 4 / Double(size * size) / pow(1 + s * s + t * t, 1.5)
        }
        let image = try Image(width: size * 6, height: size, format: .rgba32Float, bytes: floats.withUnsafeBytes { [UInt8]($0) })
        let map = try EnvironmentPrefilter(device: .make()).makeMap(from: image)
        let irradiance = try CubeLevel(map.irradiance, level: 0, scale: map.scale)
        let brightest = irradiance.values.max { $0.x < $1.x } ?? SIMD3()
        #expect(abs(brightest.x * Double.pi / flux - 1) < 0.04)
    }

    @Test func slicedPreparationGivesTheSameBytes() throws {
        let renderer = try Renderer(device: .make())
        let image = try equirectangular(width: 256) { SIMD3(max($0.x, 0) * 5, abs($0.y), $0.z > 0.99 ? 900 : 0.1) }
        let scene = Scene()
        scene.environment = Environment(image: image)
        var shares: [Double] = []
        // One slice a call, as a busy program would.
        while true {
            var calls = 0
            let isDone = try renderer.prepare(scene) { share in
                shares.append(share)
                calls += 1
                return share >= 1 || calls < 2
            }
            if isDone { break }
        }
        #expect(shares.count > 60)
        #expect(shares == shares.sorted())
        let prepared = try renderer.resources.environments.light(of: scene.environment).map
        let whole = try EnvironmentPrefilter(device: renderer.device).makeMap(from: image)
        for level in 0..<whole.levelCount {
            #expect(try prepared.specular.read(mipLevel: level, layers: 0..<6) == whole.specular.read(mipLevel: level, layers: 0..<6))
        }
        #expect(try prepared.irradiance.read(layers: 0..<6) == whole.irradiance.read(layers: 0..<6))
    }

    // MARK: Backgrounds

    private func pixels(_ studio: Studio, _ scene: VitrineScene.Scene, _ view: View, size: Int = 32) throws -> [Vector4] {
        try studio.radiance(of: scene, from: view, width: size, height: size)
    }

    @Test func blurredBackgroundIsSmoothAndKeepsItsMean() throws {
        let studio = try Studio()
        let scene = Scene()
        scene.environment = Environment(
            image: try equirectangular(width: 256) { d in
                SIMD3(repeating: sin(40 * atan2(d.z, d.x)) > 0 ? 1.5 : 0.5)
            })
        let view = View(camera: Camera(projection: .perspective(fieldOfView: .degrees(50))), worldFromCamera: .identity)
        scene.environment.backgroundBlur = 0.6
        let blurred = try pixels(studio, scene, view)
        for pixel in blurred { #expect(abs(pixel.x - 1) < 0.1) }
        scene.environment.backgroundBlur = 0
        let sharp = try pixels(studio, scene, view)
        #expect((sharp.map(\.x).max() ?? 0) > 1.4)
        scene.environment.backgroundBlur = 1.5
        #expect(throws: RenderError.self) { _ = try pixels(studio, scene, view) }
    }

    /// No step where one texel of a coarse level ends and the next begins.
    @Test func blurredBackgroundShowsNoTexels() throws {
        let studio = try Studio()
        let scene = Scene()
        scene.environment = Environment(
            image: try equirectangular(width: 256) { d in
                d.x * 0.3 + d.y * 0.5 - d.z * 0.8 > 0.97 ? SIMD3(40, 40, 40) : SIMD3(0.2, 0.2, 0.2)
            })
        scene.environment.backgroundBlur = 0.7
        let view = View(camera: Camera(projection: .perspective(fieldOfView: .degrees(80))), worldFromCamera: .identity)
        let image = try pixels(studio, scene, view, size: 96)
        let peak = image.map(\.x).max() ?? 0
        // Second differences along the rows: kinks of bilinear texels would be several times as large.
        var kink: Float = 0
        for y in 0..<96 {
            for x in 1..<95 {
                kink = max(kink, abs(image[y * 96 + x - 1].x - 2 * image[y * 96 + x].x + image[y * 96 + x + 1].x))
            }
        }
        #expect(kink < peak * 0.006)
    }

    @Test func groundProjectionMatchesItsGeometry() throws {
        let studio = try Studio()
        let scene = Scene()
        // Red where the direction goes down by more than 45 degrees: on the ground, a disc as wide as the camera stood high.
        scene.environment = Environment(image: try equirectangular(width: 512) { d in d.y < -0.7071 ? SIMD3(1, 0, 0) : SIMD3(0, 0, 1) })
        scene.environment.ground = GroundProjection(radius: 20, cameraHeight: 2, center: Vector3(1, 0.5, 0))
        // From straight above, parallel: four metres of ground are seen.
        let camera = Camera(projection: .orthographic(scale: 4), near: 0.1, far: 50)
        let view = View(camera: camera, worldFromCamera: .lookAt(eye: Vector3(1, 10, 0), target: Vector3(1, 0, 0), up: Vector3(0, 0, -1)))
        let image = try pixels(studio, scene, view, size: 64)
        let red = image.map(\.x).reduce(0, +) / Float(64 * 64) * 64
        #expect(abs(red / (Float.pi * 4) - 1) < 0.03)
        // The shader and the processor look in the same direction.
        let ground = try #require(scene.environment.ground)
        #expect(length(ground.direction(ofRayFrom: Vector3(4, 3, 0), along: Vector3(0, -1, 0)) - normalize(Vector3(3, -2, 0))) < 1e-5)
        let far = ground.direction(ofRayFrom: Vector3(1, 2.5, 0), along: Vector3(0, 0, -1))
        #expect(length(far - Vector3(0, 0, -1)) < 1e-5)
        // No step where ground and dome meet.
        let rim = (Float(20 * 20) - 4).squareRoot()
        let eye = Vector3(1, 1.5, 0)
        let inside = ground.direction(ofRayFrom: eye, along: normalize(Vector3(1 + rim - 0.001, 0.5, 0) - eye))
        let outside = ground.direction(ofRayFrom: eye, along: normalize(Vector3(1 + rim + 0.001, 0.5, 0) - eye))
        #expect(length(inside - outside) < 1e-3)
        scene.environment.ground?.radius = 1
        #expect(throws: RenderError.self) { _ = try pixels(studio, scene, view) }
    }

    @Test(.enabled(if: SharedData.has("environments/pisa-cube"), SharedData.missing))
    func aFolderOfFacesIsRead() throws {
        let environment = try Environment(contentsOf: try SharedData.url("environments/pisa-cube"))
        let image = try #require(environment.image)
        #expect(image.width == image.height * 6)
        #expect(throws: ImageFileError.self) { try Environment(contentsOf: try SharedData.url("environments")) }
    }

    @Test(.enabled(if: SharedData.has("environments/spot1Lux.hdr"), SharedData.missing))
    func theSpotKeepsItsFluxInAStrip() throws {
        let panorama = try Image(contentsOf: try SharedData.url("environments/spot1Lux.hdr"))
        let prefilter = try EnvironmentPrefilter(device: .make())
        let whole = try CubeLevel(try prefilter.makeMap(from: panorama).irradiance, level: 0)
        // The strip that a cube camera would make: level 0 of the prefiltered cube, as an image.
        let map = try prefilter.makeMap(from: panorama)
        let cube = try CubeLevel(map.specular, level: 0, scale: map.scale)
        let size = cube.size
        var floats = [Float](repeating: 1, count: size * size * 6 * 4)
        // WebGPU's faces are seen from outside: mirrored, and +Z lies where ours has −Z.
        for face in 0..<6 {
            let from = [0, 1, 2, 3, 5, 4][face]
            for y in 0..<size {
                for x in 0..<size {
                    let vertical = face == 2 || face == 3
                    let source = (from * size + (vertical ? size - 1 - y : y)) * size + (vertical ? x : size - 1 - x)
                    for channel in 0..<3 { floats[(y * size * 6 + face * size + x) * 4 + channel] = Float(cube.values[source][channel]) }
                }
            }
        }
        let strip = try Image(width: size * 6, height: size, format: .rgba32Float, bytes: floats.withUnsafeBytes { [UInt8]($0) })
        let unrolled = try prefilter.makeMap(from: strip)
        let again = try CubeLevel(unrolled.irradiance, level: 0, scale: unrolled.scale)
        let (a, b) = (whole.values.map(\.x).max() ?? 0, again.values.map(\.x).max() ?? 0)
        #expect(abs(b / a - 1) < 0.03)
        let brightest = { (cube: CubeLevel) in
            cube.direction(cube.values.indices.max { cube.values[$0].x < cube.values[$1].x } ?? 0).direction
        }
        #expect(dot(brightest(whole), brightest(again)) > 0.99)
    }
}
