import Synchronization
import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTexture

@Suite struct TextureBuilderTests {
    private static let ball = SyntheticScene(mesh: SyntheticScene.ball(rings: 28), color: SyntheticScene.pattern)

    private static func photos(_ count: Int = 14, gains: (Int) -> Vector3 = { _ in Vector3(repeating: 1) }) -> [PhotoView] {
        SyntheticScene.cameras(count: count, distance: 3.2).enumerated().map { ball.photo($0.offset, $0.element, gain: gains($0.offset)) }
    }

    private func build(
        _ views: [PhotoView], mesh: TriangleMesh = ball.mesh, maps: TextureBuilder.Maps = [], detailed: TriangleMesh? = nil,
        threads: Int = 1, cacheBytes: Int = 256 << 20
    ) throws -> TexturedMesh {
        var options = TextureBuilder.Options(textureSize: 1024, maps: maps)
        options.cacheBytes = cacheBytes
        return try TextureBuilder(options).build(
            mesh: mesh, detailed: detailed, photos: PhotoViewSource(views), in: StageContext(parallel: Parallel(threads: threads)))
    }

    @Test func textureHasTheColoursOfThePhotos() throws {
        let textured = try build(Self.photos())
        let errors = textured.errors(Self.ball.color)
        #expect(errors[errors.count / 2] < 2.5)
        #expect(errors[errors.count * 98 / 100] < 10)
        // The magenta background does not appear.
        #expect(errors.last! < 40)
        #expect(textured.statistics.unseenShare < 0.01)
        #expect(textured.triangles.count == Self.ball.mesh.triangles.count)
        for (given, made) in zip(Self.ball.mesh.triangles, textured.triangles) {
            for k in 0..<3 { #expect(Self.ball.mesh.positions[Int(given[k])] == textured.positions[Int(made[k])]) }
        }
        #expect(abs(textured.statistics.photoShares.reduce(0, +) - 1) < 1e-3)
    }

    /// Photos with an exposure of ±1 stop and another white balance: their gains are estimated, and the texture is uniform.
    @Test func exposureIsCompensated() throws {
        let truth: (Int) -> Vector3 = { index in [Vector3(1, 1, 1), Vector3(0.6, 0.62, 0.7), Vector3(1.35, 1.25, 1.2)][index % 3] }
        let textured = try build(Self.photos(18, gains: truth))
        let products = (0..<18).map { textured.statistics.photoGains[$0] * truth($0) }
        for k in 0..<3 {
            let all = products.map { $0[k] }
            #expect(all.max()! / all.min()! < 1.06)
        }
        // The gains are determined up to a common factor.
        let common = products[0]
        let errors = textured.errors { point in
            let c = Self.ball.color(point)
            return Vector3(
                TransferFunction.encoded(TransferFunction.linear(c.x / 255) * common.x) * 255,
                TransferFunction.encoded(TransferFunction.linear(c.y / 255) * common.y) * 255,
                TransferFunction.encoded(TransferFunction.linear(c.z / 255) * common.z) * 255)
        }
        #expect(errors[errors.count / 2] < 4)
        #expect(errors[errors.count * 95 / 100] < 10)
    }

    /// A white occluder in one photo that is not part of the mesh.
    @Test func occludersOfOnePhotoAreRejected() throws {
        var views = Self.photos(20)
        let spoiled = views[9]
        var color = spoiled.color
        for y in 60..<140 { for x in 80..<160 { for k in 0..<3 { color.values[3 * (y * color.width + x) + k] = 250 } } }
        views[9] = PhotoView(photo: 9, camera: spoiled.camera, color: color, depthRange: spoiled.depthRange)
        let errors = try build(views).errors(Self.ball.color)
        #expect(errors[errors.count * 97 / 100] < 12)
        #expect(errors.last! < 60)
    }

    /// The left half of each photo is masked and green: the texture has no green.
    @Test func maskedPixelsAreIgnored() throws {
        let views = Self.photos(16).map { view in
            var (color, mask) = (view.color, MaskPlane(width: view.color.width, height: view.color.height, repeating: 255))
            for y in 0..<color.height {
                for x in 0..<color.width / 2 {
                    mask[x, y] = 0
                    for k in 0..<3 { color.values[3 * (y * color.width + x) + k] = k == 1 ? 255 : 0 }
                }
            }
            return PhotoView(photo: view.photo, camera: view.camera, color: color, mask: mask, depthRange: view.depthRange)
        }
        let errors = try build(views).errors(Self.ball.color)
        #expect(errors[errors.count / 2] < 4)
        #expect(errors.last! < 70)
    }

    /// One photo from the front: the back is filled from its surroundings, and no texel is black.
    @Test func unobservedPartsAreFilled() throws {
        let textured = try build([Self.photos(3)[1]])
        #expect((0.4...0.75).contains(textured.statistics.unseenShare))
        var darkest = UInt8.max
        for slot in stride(from: 0, to: textured.baseColor.values.count, by: 3) {
            darkest = min(darkest, max(textured.baseColor.values[slot], textured.baseColor.values[slot + 2]))
        }
        #expect(darkest > 40)
    }

    @Test func threadCountDoesNotChangeTheResult() throws {
        let views = Self.photos(6)
        let one = try build(views, maps: .all, detailed: SyntheticScene.ball(rings: 40), threads: 1)
        let three = try build(views, maps: .all, detailed: SyntheticScene.ball(rings: 40), threads: 3)
        #expect(one.baseColor == three.baseColor)
        #expect(one.normalMap == three.normalMap)
        #expect(one.occlusion == three.occlusion)
        #expect(one.roughness == three.roughness)
        #expect(one.displacement == three.displacement)
        #expect(one.textureCoordinates == three.textureCoordinates)
        #expect(one.statistics == three.statistics)
    }

    /// All photos in memory, some of them, and none.
    @Test func cacheSizeDoesNotChangeTheResult() throws {
        let views = Self.photos(5)
        let kept = try build(views)
        #expect(try build(views, cacheBytes: 0).baseColor == kept.baseColor)
        let pixels = views[0].color.width * views[0].color.height
        #expect(try build(views, cacheBytes: 20 * pixels).baseColor == kept.baseColor)
    }

    /// A band loads only the photos that paint it, and bands meet without a seam.
    @Test func bandsLoadOnlyTheirPhotos() throws {
        let views = Self.photos(14)
        var options = TextureBuilder.Options(textureSize: 1024, maps: .all)
        let whole = try TextureBuilder(options).build(mesh: Self.ball.mesh, photos: PhotoViewSource(views))
        (options.bandTexels, options.cacheBytes) = (64 * 1024, 0)
        let loads = Mutex(0)
        let source = PhotoViewSource(count: views.count) { index in
            loads.withLock { $0 += 1 }
            return views[index]
        }
        let banded = try TextureBuilder(options).build(mesh: Self.ball.mesh, photos: source)
        #expect(banded.baseColor == whole.baseColor)
        #expect(banded.normalMap == whole.normalMap)
        #expect(banded.occlusion == whole.occlusion)
        #expect(banded.roughness == whole.roughness)
        #expect(banded.displacement == whole.displacement)
        // Each photo for the selection, and some of them for the 16 bands.
        #expect(loads.withLock { $0 } < views.count * 16)
    }

    /// Pages that are painted apart, from a plan, give the textures of one run.
    @Test func pagesGiveTheTexturesOfOneRun() throws {
        let (views, detailed) = (PhotoViewSource(Self.photos(6)), SyntheticScene.ball(rings: 40))
        var options = TextureBuilder.Options(textureSize: 1024, maps: .all)
        options.removesShading = true
        let builder = TextureBuilder(options)
        let whole = try builder.build(mesh: Self.ball.mesh, detailed: detailed, photos: views)
        let plan = try builder.plan(mesh: Self.ball.mesh, photos: views)
        let pages = try [0..<300, 300..<341, 341..<1024].map {
            try builder.page($0, of: plan, mesh: Self.ball.mesh, detailed: detailed, photos: views)
        }
        var page = pages[0]
        for next in pages.dropFirst() { page.append(next) }
        #expect(page.rows == 0..<1024 && page.isOwned.count == 1024 * 1024)
        let joined = try builder.mesh(page, of: plan, mesh: Self.ball.mesh)
        #expect(joined.baseColor == whole.baseColor)
        #expect(joined.normalMap == whole.normalMap)
        #expect(joined.occlusion == whole.occlusion)
        #expect(joined.roughness == whole.roughness)
        #expect(joined.displacement == whole.displacement)
        #expect(joined.tangents == whole.tangents && joined.triangles == whole.triangles)
        #expect(joined.statistics == whole.statistics)
    }

    /// Blends the detail of photos that agree, so that the texture has less image noise than a single photo.
    @Test func noiseIsAveraged() throws {
        let plain = SyntheticScene(mesh: Self.ball.mesh) { _ in Vector3(repeating: 128) }
        var random = SplitMix64(seed: 5)
        let views = SyntheticScene.cameras(count: 24, distance: 3.2).enumerated().map { index, camera -> PhotoView in
            let clean = plain.photo(index, camera)
            var color = clean.color
            for slot in color.values.indices {
                color.values[slot] = UInt8(clamping: Int(color.values[slot]) + Int(random.next() % 41) - 20)
            }
            return PhotoView(photo: index, camera: camera, color: color, depthRange: clean.depthRange)
        }
        let center = views[11].camera.centerInWorld
        let toCamera = normalize(Vector3(Float(center.x), Float(center.y), Float(center.z)))
        func grain(_ textured: TexturedMesh) -> Float {
            let seen = textured.triangles.indices.filter { dot(textured.middle($0), toCamera) > 0.7 }
            return seen.reduce(0) { $0 + (textured.colorAtMiddle($1) - Vector3(repeating: 128)).magnitude.sum() } / Float(3 * seen.count)
        }
        let (one, all) = (try grain(build([views[11]])), try grain(build(views)))
        #expect(one > 3)
        #expect(all < 0.8 * one)
    }

    /// The detailed ball has a wave: the height and normal maps contain it.
    @Test func detailedSurfaceIsBaked() throws {
        func height(_ p: Vector3) -> Float { 0.004 * sin(9 * p.y) }
        var detailed = SyntheticScene.ball(rings: 120)
        detailed.positions = detailed.positions.map { $0 * (1.004 + height($0)) }
        let textured = try build(Self.photos(2), maps: .all, detailed: detailed)
        let (normals, tangents) = (textured.normals, try #require(textured.tangents))
        let (map, heights) = (try #require(textured.normalMap), try #require(textured.displacement))
        var (normalError, heightError, count) = (Float(0), Float(0), Float(0))
        for t in textured.triangles where abs(textured.positions[Int(t.x)].y) < 0.8 {
            let middle = (textured.positions[Int(t.x)] + textured.positions[Int(t.y)] + textured.positions[Int(t.z)]) / 3
            let uv =
                (textured.textureCoordinates[Int(t.x)] + textured.textureCoordinates[Int(t.y)] + textured.textureCoordinates[Int(t.z)]) / 3
            let slot = Int(uv.y * 1024) * 1024 + Int(uv.x * 1024)
            let n = normalize(normals[Int(t.x)] + normals[Int(t.y)] + normals[Int(t.z)])
            let blended = tangents[Int(t.x)] + tangents[Int(t.y)] + tangents[Int(t.z)]
            let raw = Vector3(blended.x, blended.y, blended.z)
            let tangent = normalize(raw - n * dot(raw, n))
            let local = Vector3(Float(map.values[3 * slot]), Float(map.values[3 * slot + 1]), Float(map.values[3 * slot + 2])) / 127.5 - 1
            let bitangent = cross(n, tangent) * (blended.w < 0 ? -1 : 1)
            let found = normalize(tangent * local.x + bitangent * local.y + n * local.z)
            // The surface is r = 1.004 + h(y/r): its normal is tilted against the slope of h along the meridian.
            let p = normalize(middle)
            let meridian = normalize(Vector3(0, 1, 0) - p * p.y)
            let slope = 0.004 * 9 * cos(9 * p.y) * (1 - p.y * p.y).squareRoot()
            normalError += length(found - normalize(p - meridian * slope))
            let expected = 1.004 + height(p) - length(middle)
            let range = heights.range
            let got = range.lowerBound + Float(heights.heights.values[slot]) / 65535 * (range.upperBound - range.lowerBound)
            heightError += abs(got - expected)
            count += 1
        }
        #expect(normalError / count < 0.02)
        #expect(heightError / count < 0.0008)
    }

    /// Half of the sky is visible from the floor beside a wall.
    @Test func occlusionIsDarkerInCorners() throws {
        var mesh = SyntheticScene.box(divisions: 10)
        // No sky is visible from the inside of a box.
        mesh.triangles = mesh.triangles.map { SIMD3($0.x, $0.z, $0.y) }
        let surface = try SurfaceTopology(mesh)
        let inside = VertexOcclusion.bake(surface, normals: surface.vertexNormals(), Parallel(threads: 1))
        #expect(inside.max()! < 0.02)
        let ball = try SurfaceTopology(Self.ball.mesh)
        #expect(VertexOcclusion.bake(ball, normals: ball.vertexNormals(), Parallel(threads: 1)).min()! > 0.95)
    }

    @Test func smoothnessReducesSeams() throws {
        // Neighbouring triangles use the same photo: far fewer seams than edges.
        let surface = try SurfaceTopology(Self.ball.mesh)
        var candidates = ViewCandidates(triangleCount: surface.triangleCount)
        let sampler = ViewSampler(surface: surface)
        for (index, view) in Self.photos(8).enumerated() {
            candidates.add(sampler.samples(try #require(PreparedView(view, surface, reduction: 1))), view: index)
        }
        let labels = PottsLabeling.labels(surface, candidates, sharpness: Array(repeating: 1, count: 8))
        func seams(_ smoothness: Float) -> Int {
            let labels = PottsLabeling.labels(surface, candidates, sharpness: Array(repeating: 1, count: 8), smoothness: smoothness)
            var count = 0
            for t in labels.indices {
                for k in 0..<3 where surface.neighbors[3 * t + k] > Int32(t) {
                    let other = labels[Int(surface.neighbors[3 * t + k])]
                    if candidates.entries[Int(labels[t])].view != candidates.entries[Int(other)].view { count += 1 }
                }
            }
            return count
        }
        #expect(labels.allSatisfy { $0 >= 0 })
        #expect(seams(20) < seams(0))
    }

    @Test func invalidInputGivesErrors() throws {
        let photo = Self.photos(1)
        #expect(throws: TextureError.emptyMesh) { try build(photo, mesh: TriangleMesh()) }
        let flat = TriangleMesh(positions: [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(2, 0, 0)], triangles: [SIMD3(0, 1, 2)])
        #expect(throws: TextureError.emptyMesh) { try build(photo, mesh: flat) }
        var broken = Self.ball.mesh
        broken.positions[3].y = .nan
        #expect(throws: TextureError.notFinite(vertex: 3)) { try build(photo, mesh: broken) }
        var beyond = Self.ball.mesh
        beyond.triangles[7] = SIMD3(0, 1, 1_000_000)
        #expect(throws: TextureError.self) { try build(photo, mesh: beyond) }
        #expect(throws: TextureError.noPhotos) { try build([]) }
        #expect(throws: TextureError.self) {
            try TextureBuilder(.init(textureSize: 1000)).build(mesh: Self.ball.mesh, photos: PhotoViewSource(photo))
        }
        #expect(throws: TextureError.cancelled) {
            try TextureBuilder(.preview).build(
                mesh: Self.ball.mesh, photos: PhotoViewSource(photo), in: StageContext(isCancelled: { true }))
        }
    }
}
