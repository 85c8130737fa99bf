import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene

/// Damaged layers of every kind give a scene or an error, never a crash: a short stand-in for the fuzz targets `usda` and `usdc`.
@Suite struct USDDamageTests {
    private static let text = """
        #usda 1.0
        ( defaultPrim = "A" metersPerUnit = 1 startTimeCode = 1 subLayers = [@b@ (offset = 1; scale = 2)] )
        def Xform "A" ( prepend references = </C> inherits = </C> variants = { string v = "y" } prepend variantSets = "v" )
        {
            float3 xformOp:translate.timeSamples = { 0: (1, 2, 3), 2: (4, 5, 6e1) }
            float xformOp:rotateZ.timeSamples = { 0: 0, 9: 900 }
            uniform token[] xformOpOrder = ["xformOp:translate", "!invert!xformOp:rotateZ"]
            variantSet "v" = { "x" { int a = 1 } "y" (active = true) { def Sphere "S" { double radius = 2 } } }
        }
        class "C" { rel r = [</A>, <../A.b>] }
        def Mesh "M"
        {
            point3f[] points = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (2, 1, 0), (0, 4, 0)]
            int[] faceVertexCounts = [5]
            int[] faceVertexIndices = [0, 1, 2, 3, 4]
            texCoord2f[] primvars:st2 = [(0, 0), (1, 1)] ( interpolation = "faceVarying" )
            int[] primvars:st2:indices = [0, 1, 0, 1, 0]
            int[] primvars:skel:jointIndices = [0, 1, 0, 1, 0] ( elementSize = 1 interpolation = "vertex" )
            float[] primvars:skel:jointWeights = [1, 1, 1, 1, 1] ( elementSize = 1 interpolation = "vertex" )
            rel skel:skeleton = </K>
            uniform token[] skel:blendShapes = ["b"]
            rel skel:blendShapeTargets = </M/B>
            rel material:binding = </L>
            def BlendShape "B" { uniform vector3f[] offsets = [(0, 0, 1)] uniform int[] pointIndices = [2] }
            def GeomSubset "S" { int[] indices = [0] rel material:binding = </L> }
        }
        def Skeleton "K"
        {
            uniform token[] joints = ["a", "a/b"]
            uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1))]
            rel skel:animationSource = </K/N>
            def SkelAnimation "N"
            {
                uniform token[] joints = ["a", "a/b"]
                quatf[] rotations.timeSamples = { 0: [(1, 0, 0, 0), (1, 0, 0, 0)], 5: [(0, 1, 0, 0), (1, 0, 0, 0)] }
                uniform token[] blendShapes = ["b"]
                float[] blendShapeWeights = [0.5]
            }
        }
        def Material "L"
        {
            token outputs:surface.connect = </L/P.outputs:surface>
            def Shader "P" { uniform token info:id = "UsdPreviewSurface" color3f inputs:diffuseColor.connect = </L/T.outputs:rgb> }
            def Shader "T" { uniform token info:id = "UsdUVTexture" asset inputs:file = @b@ float2 inputs:st.connect = </L/R.outputs:result> }
            def Shader "R" { uniform token info:id = "UsdPrimvarReader_float2" string inputs:varname = "st2" }
        }
        def PointInstancer "I" { rel prototypes = [</M>] int[] protoIndices = [0, 0] point3f[] positions = [(0, 0, 0), (1, 2, 3)] }
        def BasisCurves "Z" { int[] curveVertexCounts = [4] point3f[] points = [(0,0,0),(1,0,0),(1,1,0),(0,1,0)] }
        def Capsule "Q" { token axis = "Y" double radius = 0.5 }
        def Camera "E" { float2 clippingRange = (1, 10) float fStop = 2 float focusDistance = 5 }
        def SphereLight "F" { float inputs:intensity = 5 float inputs:shaping:cone:angle = 30 }
        """

    private static let pieces = [
        "1e308", "-1", "4294967296", "nan", "inf", "</", ">", "{", "}", "[", "]", "(", ")", "\"", "@", "None", "2147483647", "0", "..", "=",
        ":", ".timeSamples", "references", "99999999999999999999",
    ].map { Array($0.utf8) }

    /// Numbers that are the same in every run.
    private struct Dice {
        var state: UInt64

        mutating func roll(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(count, 1)
        }
    }

    private func use(_ bytes: [UInt8], _ other: [UInt8]) -> Bool {
        guard let loaded = try? SceneFile.read(bytes, name: "a.usd", files: { (_) throws(FileError) in other }) else { return false }
        for clip in loaded.scene.animations { for step in 0...3 { clip.apply(at: clip.duration * Float(step) / 3) } }
        _ = loaded.scene.bounds
        return true
    }

    @Test func damagedTextsAreScenesOrErrors() {
        let text = Array(Self.text.utf8)
        let sound = Array("#usda 1.0\nover \"A\" { }".utf8)
        var (dice, loaded) = (Dice(state: 7), 0)
        #expect(use(text, sound))
        for round in 0..<200 {
            var bytes = text
            for _ in 0...dice.roll(4) {
                let offset = 10 + dice.roll(bytes.count - 10)
                switch dice.roll(4) {
                case 0: bytes.insert(contentsOf: Self.pieces[dice.roll(Self.pieces.count)], at: offset)
                case 1: bytes.removeSubrange(offset..<min(bytes.count, offset + 1 + dice.roll(20)))
                case 2: bytes[offset] = UInt8(dice.roll(256))
                default:
                    let from = dice.roll(bytes.count)
                    bytes.insert(contentsOf: Array(bytes[from..<min(bytes.count, from + dice.roll(60))]), at: offset)
                }
            }
            if use(bytes, sound) { loaded += 1 }
            // Beside it lies a layer that is damaged in the same way, and names itself.
            if round % 8 == 0 { _ = use(bytes, bytes) }
        }
        #expect(loaded > 20 && loaded < 200, "\(loaded)")
    }

    /// Invalid numbers: not finite, huge, negative.
    @Test func strangeNumbersAreScenesOrErrors() {
        for number in ["nan", "inf", "-inf", "1e300", "-1e300", "1e-300", "-1", "2147483648"] {
            for name in [
                "elementSize = ", "radius = ", "startTimeCode = ", "fStop = ", "intensity = ", "angle = ", "9: ", "metersPerUnit = ",
            ] {
                let text = Self.text.replacingOccurrences(of: name + "1 ", with: name + number + " ").replacingOccurrences(
                    of: name + "2 ", with: name + number + " "
                )
                .replacingOccurrences(of: name + "5 ", with: name + number + " ").replacingOccurrences(
                    of: name + "30 ", with: name + number + " "
                )
                .replacingOccurrences(of: name + "900 ", with: name + number + " ").replacingOccurrences(
                    of: name + "0.5 ", with: name + number + " ")
                _ = use(Array(text.utf8), [])
            }
        }
    }

    @Test func damagedBinariesAreScenesOrErrors() throws {
        let scene = try SceneFile.read(
            Array(Self.text.utf8), name: "a.usda",
            files: { (path) throws(FileError) in
                throw FileError(path: path, reason: "no files here")
            }
        ).scene
        let bytes = try ModelFile.encode(scene, as: .usdc, name: "a.usdc").files[0].bytes
        #expect(use(bytes, []))
        var dice = Dice(state: 3)
        for round in 0..<200 {
            var broken = bytes
            for _ in 0...dice.roll(3) {
                broken[8 + dice.roll(bytes.count - 8)] = [0, 1, 0x7F, 0x80, 0xFF, UInt8(dice.roll(256))][dice.roll(6)]
            }
            if round % 5 == 0 { broken.removeLast(dice.roll(broken.count - 8)) }
            _ = use(broken, [])
        }
    }
}
