import VitrineFiles
import VitrineScene

private let seeds = [
    """
    #usda 1.0
    (
        "remark"
        defaultPrim = "A"
        metersPerUnit = 1
        subLayers = [@a@ (offset = 1; scale = 2)]
        customLayerData = { string s = "x"; dictionary d = { int[] i = [1, 2] } }
    )
    def Xform "A" (
        prepend references = [@a@</B>, </C>]
        inherits = </C>
        variants = { string v = "two" }
        prepend variantSets = "v"
        instanceable = true
    )
    {
        double3 xformOp:translate.timeSamples = { 0: (1, 2, 3), 1.5: None, 2: (4, 5, 6e1) }
        quatf xformOp:orient = (1, 0, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate", "!invert!xformOp:orient"]
        variantSet "v" = { "one" { int a = 1 } "two" (active = true) { def Sphere "S" { double radius = 2 } } }
    }
    class "C" { rel r = [</A>, <../A.b>] }
    \0#usda 1.0
    def "B" (payload = @c@</D>) { float x.timeSamples = { 3: 1 } over "S" (active = false) { } }
    """,
    """
    #usda 1.0
    def Mesh "M" (prepend apiSchemas = ["SkelBindingAPI"])
    {
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (.2, .3, 0), (0, 1, 0)]
        int[] faceVertexCounts = [5]
        int[] faceVertexIndices = [0, 1, 2, 3, 4]
        texCoord2f[] primvars:st = [(0, 0), (1, 1)] ( interpolation = "faceVarying" )
        int[] primvars:st:indices = [0, 1, 0, 1, 0]
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
        def Shader "P"
        {
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor.connect = </L/T.outputs:rgb>
        }
        def Shader "T" { uniform token info:id = "UsdUVTexture" asset inputs:file = @bb@ float2 inputs:st.connect = </L/T.outputs:rgb> }
    }
    def PointInstancer "I" { rel prototypes = [</M>] int[] protoIndices = [0, 0] point3f[] positions = [(0, 0, 0), (1, 2, 3)] }
    def BasisCurves "Z" { int[] curveVertexCounts = [4] point3f[] points = [(0,0,0),(1,0,0),(1,1,0),(0,1,0)] }
    def Cone "Q" { token axis = "Y" }
    """,
]

/// A USD layer as text: every kind of statement, and layers that bring in layers. The bytes after the first zero byte are every other file.
// swift-format-ignore: OnlyOneTrailingClosureArgument
let usdaTarget = FuzzTarget(seeds: { seeds.map { Array($0.utf8) } }) { input in
    let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let bytes = Array("#usda 1.0\n".utf8) + parts[0].drop { $0 != 0x0A }
    let other = parts.count > 1 ? Array(parts[1]) : [0]
    guard let loaded = try? SceneFile.read(bytes, name: "fuzz", files: { (_) throws(FileError) in other }) else { return }
    precondition(loaded.warnings.count < 5000)
    use(loaded.scene)
}
