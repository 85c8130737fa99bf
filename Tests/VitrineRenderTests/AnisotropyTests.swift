import Testing
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// Anisotropic reflections of the environment are bands, in frames and in stills.
@Suite struct AnisotropyTests {
    /// A light that is wider than a still's sampling distance, in the plane of the lobe or beside it.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The direction to the middle of the light.
        let light: Vector3
        /// The turn of the camera from the normal, in the plane of the lobe.
        var turn = Angle.degrees(0)
        /// The relative tolerances of a still, and of a frame, whose lobes are wider.
        var still: Float = 0.06
        var frame: Float = 0.22
    }

    static let cases = [
        Case(testDescription: "at the end of the band", light: Vector3(0.8, 0, 0.6)),
        Case(testDescription: "at its other end", light: Vector3(-0.8, 0, 0.6)),
        Case(testDescription: "from the side", light: Vector3(0.5, 0, 0.8), turn: .degrees(50)),
        Case(
            testDescription: "behind the mirrored direction", light: Vector3(-0.97, 0, 0.24), turn: .degrees(50), still: 0.15, frame: 0.35),
        Case(testDescription: "beside the band", light: Vector3(0, 0.8, 0.6), still: 0.25, frame: 1),
    ]

    @Test(arguments: cases) func reflectionsAreBands(_ item: Case) throws {
        let roughness: Float = 0.15
        func radiance(_ direction: SIMD3<Double>) -> Double {
            let toLight = SIMD3<Double>(normalize(item.light))
            return 0.05 + 4 * smoothstep(cos(0.5), cos(0.3), (direction * toLight).sum())
        }
        let material = Material(metalness: 1, roughness: roughness)
        material.anisotropy.strength = 1
        let scene = scene(try square(), material)
        scene.environment = Environment(
            image: try equirectangular(width: 512) { SIMD3(repeating: radiance($0)) }, background: .transparent)
        let toEye = Vector3(sin(item.turn.radians), 0, cos(item.turn.radians))
        let view = View(
            camera: Camera(projection: .orthographic(scale: 0.3), near: 0.1, far: 10),
            worldFromCamera: Matrix4(translation: toEye * 5) * Matrix4(Matrix3(Quaternion(angle: item.turn, axis: .up))))

        let expected = Float(Self.reflected(radiance, towards: SIMD3<Double>(toEye), alphas: (1, Double(roughness * roughness))))
        let studio = try Studio()
        let frame = try studio.radiance(of: scene, from: view)[16 * 32 + 16].x
        let still = try studio.still(of: scene, from: view, width: 32, height: 32, samples: 16)[16 * 32 + 16].x
        #expect(abs(still - expected) < item.still * expected, "still \(still), expected \(expected)")
        #expect(abs(frame - expected) < item.frame * expected, "frame \(frame), expected \(expected)")
    }

    /// The mean radiance in the lobe of a surface that faces +Z, by the exact distribution and masking (Heitz 2014).
    private static func reflected(_ radiance: (SIMD3<Double>) -> Double, towards v: SIMD3<Double>, alphas: (Double, Double)) -> Double {
        func masking(_ d: SIMD3<Double>) -> Double {
            let (x, y) = (alphas.0 * d.x / d.z, alphas.1 * d.y / d.z)
            return ((1 + x * x + y * y).squareRoot() - 1) / 2
        }
        var (light, all) = (0.0, 0.0)
        let count = 700
        for i in 0..<count {
            // Even in the cube of the angle across: the band is narrow.
            let t = 2 * (Double(i) + 0.5) / Double(count) - 1
            let y = t * t * t
            let across = 3 * t * t
            for j in 0..<count {
                let azimuth = .pi * (Double(j) + 0.5) / Double(count)
                let radius = (1 - y * y).squareRoot()
                let l = SIMD3(radius * cos(azimuth), y, radius * sin(azimuth))
                let sum = v + l
                let h = sum / (sum * sum).sum().squareRoot()
                let p = SIMD3(h.x / alphas.0, h.y / alphas.1, h.z)
                let squared = (p * p).sum()
                let density = across / (squared * squared * (1 + masking(v) + masking(l)))
                light += radiance(l) * density
                all += density
            }
        }
        return light / all
    }
}
