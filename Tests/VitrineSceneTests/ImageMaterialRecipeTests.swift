import Testing
import VitrineMath

@testable import VitrineScene

@Suite struct ImageMaterialRecipeTests {
    private func image(_ colors: [[UInt8]]) throws -> Image {
        try Image(width: colors.count, height: 1, format: .rgba8, bytes: colors.flatMap { $0 })
    }

    /// Black stays, the middle stays, white is pulled to 0.9; contrast spreads the values between.
    @Test func metalnessFollowsTheRecipe() throws {
        let greys = try image([0, 64, 100, 128, 160, 191, 255].map { [$0, $0, $0, 255] })
        let levels = { (map: Image) in stride(from: 0, to: map.bytes.count, by: 4).map { map.bytes[$0] } }
        let map = Image.metalnessMap(from: greys)
        // By hand, for 160: g = 0.62745, c = 0.75490, m = 1.1 c − 0.2 c² = 0.71642 → 183.
        #expect(levels(map)[4] == 183)
        #expect(levels(map)[0] == 0 && levels(map)[6] == 230 && abs(Int(levels(map)[3]) - 128) <= 1)
        #expect(map.width == 7 && map.height == 1 && map.bytes[3] == 255)
        var plain = ImageMaterialRecipe()
        (plain.contrast, plain.white) = (1, 1)
        #expect(levels(Image.metalnessMap(from: greys, recipe: plain)) == [0, 64, 100, 128, 160, 191, 255])
        (plain.contrast, plain.white) = (.nan, .nan)
        #expect(levels(Image.metalnessMap(from: greys, recipe: plain)).count == 7)
    }

    @Test func everyFormatGivesTheSameMetalness() throws {
        let bytes = try image([[255, 0, 0, 255], [0, 255, 0, 0], [0, 0, 255, 255], [200, 150, 90, 255]])
        let wide = try Image(width: 4, height: 1, format: .rgba16, bytes: bytes.bytes.flatMap { [$0, $0] })
        let floats = bytes.bytes.enumerated().flatMap { index, byte in
            let value = index % 4 == 3 ? Float(byte) / 255 : linearFromSRGB(Float(byte) / 255)
            return withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
        }
        let linear = try Image(width: 4, height: 1, format: .rgba32Float, bytes: floats)
        #expect(Image.metalnessMap(from: wide).bytes == Image.metalnessMap(from: bytes).bytes)
        for (a, b) in zip(Image.metalnessMap(from: linear).bytes, Image.metalnessMap(from: bytes).bytes) {
            #expect(abs(Int(a) - Int(b)) <= 1)
        }
    }

    private func normals(_ map: Image) -> [Vector3] {
        stride(from: 0, to: map.bytes.count, by: 4).map {
            Vector3(Float(map.bytes[$0]), Float(map.bytes[$0 + 1]), Float(map.bytes[$0 + 2])) / 255 * 2 - 1
        }
    }

    @Test func noiseIsSeededAndHasTheRequestedSlope() {
        let map = Image.noiseNormalMap(size: 64, grain: 4, steepness: 0.5, seed: 3)
        #expect(map.width == 64 && map.height == 64 && map.bytes == Image.noiseNormalMap(size: 64, grain: 4, steepness: 0.5, seed: 3).bytes)
        #expect(map.bytes != Image.noiseNormalMap(size: 64, grain: 4, steepness: 0.5, seed: 4).bytes)
        var (square, mean) = (Float(0), Vector2(0, 0))
        for normal in normals(map) {
            #expect(abs(length(normal) - 1) < 0.02 && normal.z > 0)
            let slope = Vector2(normal.x, normal.y) / normal.z
            square += lengthSquared(slope)
            mean += slope
        }
        #expect(abs((square / 4096).squareRoot() - 0.5) < 0.02 && length(mean / 4096) < 0.01)
        #expect(Image.noiseNormalMap(size: 8, steepness: 0).bytes.prefix(4) == [128, 128, 255, 255])
        #expect(Image.noiseNormalMap(size: 0, grain: .nan, steepness: .infinity).width == 4)
    }

    /// The noise is continuous across its edges: neighbours there differ no more than elsewhere.
    @Test func noiseTiles() {
        let size = 64
        let field = normals(Image.noiseNormalMap(size: size, grain: 16, seed: 11))
        func step(_ column: Int) -> Float {
            (0..<size).reduce(0) { $0 + distance(field[$1 * size + column], field[$1 * size + (column + 1) % size]) } / Float(size)
        }
        let inside = (0..<size - 1).map(step).max()!
        #expect(step(size - 1) <= inside)
    }

    @Test func materialFromAnImage() throws {
        var recipe = ImageMaterialRecipe()
        (recipe.roughness, recipe.metalnessIntensity, recipe.sparkle, recipe.sparkleSize) = (0.2, 0.5, 0.1, 16)
        let image = try Image(width: 2, height: 1, format: .rgba8, bytes: [0, 0, 0, 255, 255, 255, 255, 255])
        let foil = Material(image: image, recipe: recipe)
        #expect(foil.roughness.factor == 0.2 && foil.metalness.factor == 1 && foil.metalness.intensity == 0.5 && foil.normal.scale == 0.1)
        #expect(foil.normal.map?.transform.scale == [1, 0.5] && foil.textures.count == 3)
        recipe.sparkle = 0
        #expect(Material(image: image, recipe: recipe).normal.map == nil)
    }
}
