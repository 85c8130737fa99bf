import Testing
import VitrineFiles
import VitrineGPU
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineRender

@Suite struct EnvironmentPrefilterTests {
    let device: GPUDevice
    let prefilter: EnvironmentPrefilter

    init() throws {
        device = try GPUDevice.make()
        prefilter = try EnvironmentPrefilter(device: device)
    }

    @Test func constantLightStaysConstant() throws {
        let map = try prefilter.makeMap(from: try equirectangular(width: 64) { _ in SIMD3(1, 1, 1) })
        for level in 0..<map.levelCount {
            let cube = try CubeLevel(map.specular, level: level)
            #expect(cube.values.allSatisfy { abs($0.x - 1) < 0.001 && $0.x == $0.y && $0.y == $0.z }, "level \(level)")
        }
        let irradiance = try CubeLevel(map.irradiance, level: 0)
        #expect(irradiance.values.allSatisfy { abs($0.x - 1) < 0.001 && $0.x == $0.y && $0.y == $0.z })
    }

    /// The centre of the image is in direction +X, the upper edge towards +Y, a quarter to the right towards +Z.
    @Test func directionsFollowTheConvention() throws {
        var bytes = [UInt8](repeating: 0, count: 64 * 32 * 4)
        func paint(_ x: Int, _ y: Int, _ channel: Int) { bytes[(y * 64 + x) * 4 + channel] = 255 }
        for offset in 0..<4 {
            paint(31 + offset % 2, 15 + offset / 2, 0)
            paint(47 + offset % 2, 15 + offset / 2, 2)
        }
        for x in 0..<64 { paint(x, 0, 1) }
        let map = try prefilter.makeMap(from: try Image(width: 64, height: 32, format: .rgba8, bytes: bytes))
        let sky = try CubeLevel(map.specular, level: 0)
        let brightest = (0..<3).map { channel in
            sky.direction(sky.values.indices.max { sky.values[$0][channel] < sky.values[$1][channel] } ?? 0).direction
        }
        #expect(dot(brightest[0], SIMD3(1, 0, 0)) > 0.995)
        #expect(dot(brightest[1], SIMD3(0, 1, 0)) > 0.995)
        #expect(dot(brightest[2], SIMD3(0, 0, 1)) > 0.995)
        #expect(sky.value(towards: SIMD3(1, 0, 0)).y == 0)
        #expect(sky.value(towards: SIMD3(-1, 0, 0)) == SIMD3())
    }

    /// One bright texel keeps its energy at every roughness, at the equator and near the pole, above the range of a half float too.
    @Test(arguments: [(40, 32, 500.0), (3, 2, 500.0), (90, 20, 200_000.0)])
    func aSunKeepsItsEnergy(x: Int, y: Int, radiance: Double) throws {
        var floats = [Float](repeating: 0, count: 128 * 64 * 4)
        for channel in 0..<3 { floats[(y * 128 + x) * 4 + channel] = Float(radiance) * Float(channel + 1) / 3 }
        let image = try Image(width: 128, height: 64, format: .rgba32Float, bytes: floats.withUnsafeBytes { Array($0) })
        let map = try prefilter.makeMap(from: image)
        let top = Double.pi * Double(y) / 64
        let expected = radiance * 2 * Double.pi / 128 * (cos(top) - cos(top + Double.pi / 64))
        // Coarser levels are too coarse to be summed by their texels' middles.
        for level in 0..<map.levelCount where map.specular.width >> level >= 16 {
            let energy = try CubeLevel(map.specular, level: level, scale: map.scale).integral
            #expect(abs(energy.z / expected - 1) < 0.03, "level \(level)")
            #expect(abs(energy.x * 3 / energy.z - 1) < 0.01, "level \(level)")
        }
        // A small source lights a white surface that faces it with its whole flux.
        let irradiance = try CubeLevel(map.irradiance, level: 0, scale: map.scale)
        let brightest = irradiance.values.max { $0.z < $1.z } ?? SIMD3()
        #expect(abs(brightest.z * Double.pi / expected - 1) < 0.01)
    }

    /// A dim room with a small sun, at every level and all around: the sun's GGX lobe, integrated here by itself, over the room.
    @Test func aSunBecomesItsLobe() throws {
        let (x, y, radiance) = (140, 50, 3000.0)
        let sun = SIMD3(sin(polar(y)) * cos(azimuth(x)), cos(polar(y)), sin(polar(y)) * sin(azimuth(x)))
        let flux = radiance * (Double.pi / 128) * (2 * Double.pi / 256) * sin(polar(y))
        let map = try prefilter.makeMap(
            from: try equirectangular(width: 256) { dot($0, sun) > 1 - 1e-9 ? SIMD3(radiance, radiance, radiance) : SIMD3(0.2, 0.2, 0.2) })
        for level in 2..<map.levelCount {
            let alpha = pow(Double(map.roughness(ofLevel: level)), 2)
            let whole = (0..<20_000).reduce(0.0) { sum, step in
                // Even steps in the logarithm of the angle: the lobe is narrow.
                let (from, to) = (1e-5 * pow(1.6e5, Double(step) / 20_000), 1e-5 * pow(1.6e5, Double(step + 1) / 20_000))
                return sum + lobe(cos((from + to) / 2), alpha) * sin((from + to) / 2) * 2 * Double.pi * (to - from)
            }
            let cube = try CubeLevel(map.specular, level: level, scale: map.scale)
            for index in cube.values.indices where index % 7 == 0 {
                let expected = 0.2 + flux * lobe(dot(cube.direction(index).direction, sun), alpha) / whole
                #expect(abs(cube.values[index].y / expected - 1) < 0.05, "level \(level), texel \(index)")
            }
        }
    }

    /// D(h) · cos θ of GGX for a view along the normal, up to a factor; `z` is the cosine between light and normal.
    private func lobe(_ z: Double, _ alpha: Double) -> Double {
        let d = 1 + (alpha * alpha - 1) * (1 + z) / 2
        return max(z, 0) / (d * d)
    }

    private func polar(_ y: Int) -> Double { (Double(y) + 0.5) / 128 * Double.pi }
    private func azimuth(_ x: Int) -> Double { (Double(x) + 0.5) / 256 * 2 * Double.pi - Double.pi }

    /// Radiance (1 + y)/2 has irradiance π/2 + π/3 · n.y; |y| at roughness 0 is the image itself.
    @Test func aGradientHasItsClosedFormIrradiance() throws {
        let map = try prefilter.makeMap(from: try equirectangular(width: 128) { SIMD3(0.5 + 0.5 * $0.y, 0.5 + 0.5 * $0.x, abs($0.z)) })
        let irradiance = try CubeLevel(map.irradiance, level: 0)
        for index in irradiance.values.indices {
            let n = irradiance.direction(index).direction
            #expect(abs(irradiance.values[index].x - (0.5 + n.y / 3)) < 0.002)
            #expect(abs(irradiance.values[index].y - (0.5 + n.x / 3)) < 0.002)
        }
        let sky = try CubeLevel(map.specular, level: 0)
        for index in stride(from: 0, to: sky.values.count, by: 37) {
            let n = sky.direction(index).direction
            #expect(abs(sky.values[index].x - (0.5 + 0.5 * n.y)) < 0.002)
            #expect(abs(sky.values[index].z - abs(n.z)) < 0.02)
        }
        // Roughness 1 weighs with the cosine, as irradiance does.
        let last = try CubeLevel(map.specular, level: map.levelCount - 1)
        for index in last.values.indices {
            #expect(abs(last.values[index].x - (0.5 + last.direction(index).direction.y / 3)) < 0.015)
        }
    }

    @Test func sameImageGivesTheSameBytes() throws {
        let image = try equirectangular(width: 64) { SIMD3(max($0.x, 0) * 5, abs($0.y), 1 + sin(20 * $0.z)) }
        let (first, second) = (try prefilter.makeMap(from: image), try EnvironmentPrefilter(device: device).makeMap(from: image))
        for level in 0..<first.levelCount {
            #expect(try first.specular.read(mipLevel: level, layers: 0..<6) == second.specular.read(mipLevel: level, layers: 0..<6))
        }
        #expect(try first.irradiance.read(layers: 0..<6) == second.irradiance.read(layers: 0..<6))
    }

    @Test func oddValuesAreReported() throws {
        var floats = [Float](repeating: 0.5, count: 32 * 16 * 4)
        (floats[0], floats[5], floats[10], floats[3]) = (.nan, -1, .infinity, .nan)
        let map = try prefilter.makeMap(
            from: try Image(width: 32, height: 16, format: .rgba32Float, bytes: floats.withUnsafeBytes { Array($0) }))
        #expect(map.warnings == [.invalidValues(count: 3)])
        for level in 0..<map.levelCount {
            #expect(try CubeLevel(map.specular, level: level).values.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite })
        }
    }

    @Test func otherAspectRatiosThrow() throws {
        let strip = try Image(width: 95, height: 16, format: .rgba8, bytes: [UInt8](repeating: 0, count: 95 * 16 * 4), name: "strip.png")
        #expect {
            _ = try prefilter.makeMap(from: strip)
        } throws: { error in
            guard case .environmentLayout("strip.png", 95, 16)? = error as? RenderError else { return false }
            return true
        }
    }

    @Test(.enabled(if: SharedData.has("environments/spot1Lux.hdr"), SharedData.missing))
    func theSpotKeepsItsFlux() throws {
        let image = try Image(contentsOf: try SharedData.url("environments/spot1Lux.hdr"))
        let map = try prefilter.makeMap(from: image)
        let irradiance = try CubeLevel(map.irradiance, level: 0, scale: map.scale)
        let brightest = irradiance.values.max { $0.x < $1.x } ?? SIMD3()
        // About 0.96 lux as the file stands.
        #expect(abs(brightest.x * Double.pi / flux(image) - 1) < 0.01)
    }

    /// The red light of an equirectangular image, summed exactly.
    private func flux(_ image: Image) -> Double {
        image.bytes.withUnsafeBytes { raw in
            let floats = raw.bindMemory(to: Float.self)
            return (0..<image.height).reduce(0) { sum, y in
                let row = (0..<image.width).reduce(0.0) { $0 + Double(floats[(y * image.width + $1) * 4]) }
                let (top, bottom) = (Double(y) * Double.pi / Double(image.height), Double(y + 1) * Double.pi / Double(image.height))
                return sum + row * (cos(top) - cos(bottom)) * 2 * Double.pi / Double(image.width)
            }
        }
    }
}
