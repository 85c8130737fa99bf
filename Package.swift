// swift-tools-version: 6.1
import PackageDescription

// The modules, lowest first. A module imports only modules above it in this list: CONTRIBUTING.md draws the arrows.
let package = Package(
    name: "Vitrine",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Vitrine", targets: ["Vitrine"]),
        .library(name: "VitrineGPU", targets: ["VitrineGPU", "VitrineCustomPasses"]),
        .library(name: "VitrineReconstruct", targets: ["VitrineReconstruct"]),
        .library(name: "VitrineAR", targets: ["VitrineAR", "VitrineARView"]),
        .library(name: "VitrineCapture", targets: ["VitrineCapture", "VitrineCaptureView"]),
        .library(name: "VitrineSimulation", targets: ["VitrineSimulation", "VitrineSensorSimulation"]),
        .executable(name: "vitrine", targets: ["VitrineCLI"]),
    ],
    targets: [
        // C: thin bridges and system libraries. scripts/setup.sh writes the pkg-config files "vitrine-…": copies without the flags that SwiftPM refuses.
        .target(name: "CVitrineBuiltins", linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux, .android]))]),
        .systemLibrary(name: "CWebGPU", pkgConfig: "wgpu-native"),
        .systemLibrary(name: "CSDL", pkgConfig: "vitrine-sdl2", providers: [.apt(["libsdl2-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg62-turbo-dev"])]),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "COpenEXR", pkgConfig: "vitrine-OpenEXR", providers: [.apt(["libopenexr-dev"])]),
        .systemLibrary(name: "CHEIF", pkgConfig: "libheif", providers: [.apt(["libheif-dev"])]),
        .systemLibrary(name: "CHarfBuzz", pkgConfig: "harfbuzz", providers: [.apt(["libharfbuzz-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CMeshOptimizer", providers: [.apt(["libmeshoptimizer-dev"])]),
        .systemLibrary(name: "CDraco", pkgConfig: "draco", providers: [.apt(["libdraco-dev"])]),
        .systemLibrary(name: "CZstandard", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CLanes"),
        .target(name: "CProcessor"),
        .target(name: "CDescriptors"),
        .target(name: "CVideoDevice"),
        .target(name: "CWaylandLog", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(name: "CVersion"),
        .target(name: "CEmbeddedFiles"),
        .target(name: "CCodecs", dependencies: ["CPNG", "CDeflate", "CJPEG", "CWebP", "COpenEXR", "CHEIF", "CDraco", "CZstandard"]),

        // The core: no Foundation, compiles under Embedded Swift.
        .target(name: "VitrineMath", dependencies: ["CVitrineBuiltins"]),
        .target(name: "VitrineGeometry", dependencies: ["VitrineMath", "CLanes"]),
        .target(name: "VitrineMotion", dependencies: ["VitrineGeometry"]),
        .target(name: "VitrineScene", dependencies: ["VitrineGeometry", "VitrineMotion"]),
        .target(name: "VitrineGPU", dependencies: ["CWebGPU", "CWaylandLog"]),
        .target(name: "VitrineRender", dependencies: ["VitrineScene", "VitrineGPU"]),
        .target(name: "VitrineStage", dependencies: ["VitrineMotion", "VitrineScene", "VitrineRender"]),
        .target(name: "VitrineCustomPasses", dependencies: ["VitrineRender", "VitrineLayers", "VitrineWindow"]),
        .target(name: "VitrineLayers", dependencies: ["VitrineMotion", "VitrineScene", "VitrineRender"]),
        .target(name: "VitrineGLTF", dependencies: ["VitrineScene"]),
        .target(name: "VitrinePathTracer", dependencies: ["VitrineScene", "CProcessor"]),

        // Photos to models: each module's input is the output of the one before.
        .target(name: "VitrineVision", dependencies: ["VitrineGeometry", "CProcessor", "CDescriptors"]),
        .target(name: "VitrineDense", dependencies: ["VitrineVision"]),
        .target(name: "VitrineDenseGPU", dependencies: ["VitrineDense", "VitrineGPU"]),
        .target(name: "VitrineSurface", dependencies: ["VitrineVision", "VitrineScene", "CMeshOptimizer"]),
        .target(name: "VitrineTexture", dependencies: ["VitrineVision", "VitrineScene"]),
        // Textures of light for scenes: path tracing on charts.
        .target(name: "VitrineBake", dependencies: ["VitrinePathTracer", "VitrineTexture"]),
        .target(name: "VitrineVideo"),
        .target(
            name: "VitrineReconstruct",
            dependencies: ["VitrineDense", "VitrineDenseGPU", "VitrineSurface", "VitrineTexture", "VitrineFiles", "VitrineVideo"]),

        // AR: maps, camera tracking and the session. VitrineARView, which draws over the camera image, needs the host's modules and stands below.
        .target(name: "VitrineMapping", dependencies: ["VitrineVision"]),
        .target(name: "VitrineTracking", dependencies: ["VitrineMapping", "VitrineVision"]),
        .target(
            name: "VitrineAR",
            dependencies: ["VitrineTracking", "VitrineMapping", "VitrineScene", "VitrineImageFiles", "VitrineVideo", "CVideoDevice"]),

        // Guided capture: shots from a camera for a reconstruction.
        .target(name: "VitrineCapture", dependencies: ["VitrineAR", "VitrineReconstruct"]),

        // The host platform: files, text, windows, the command.
        .target(name: "VitrineImageFiles", dependencies: ["VitrineScene", "VitrineGLTF", "CCodecs", "CProcessor"]),
        .target(
            name: "VitrineFiles",
            dependencies: ["VitrineImageFiles", "VitrineScene", "VitrineGLTF", "CCodecs", "CExpat", "CMeshOptimizer", "CZlib"]),
        .target(name: "VitrineText", dependencies: ["VitrineImageFiles", "CHarfBuzz"]),
        .target(name: "VitrineWindow", dependencies: ["VitrineScene", "VitrineStage", "VitrineRender", "VitrineGPU", "CSDL"]),
        .target(
            name: "Vitrine",
            dependencies: ["VitrineFiles", "VitrineText", "VitrineLayers", "VitrinePathTracer", "VitrineStage", "VitrineWindow"]),
        .target(name: "VitrineARView", dependencies: ["Vitrine", "VitrineAR"]),

        .target(name: "VitrineCaptureView", dependencies: ["VitrineARView", "VitrineCapture"]),

        // Simulated sensors and rooms with ground truth, for tests and evaluation: a development product.
        .target(name: "VitrineSensorSimulation", dependencies: ["VitrineTracking"]),
        .target(name: "VitrineSimulation", dependencies: ["Vitrine", "VitrineAR", "VitrineCapture", "VitrineSensorSimulation"]),
        .target(name: "VitrineSamples", dependencies: ["VitrineScene", "VitrineImageFiles"]),
        .executableTarget(
            name: "VitrineCLI",
            dependencies: [
                "Vitrine", "VitrineBake", "VitrineReconstruct", "VitrineARView", "VitrineCaptureView", "VitrineSimulation",
                "VitrineSamples", "VitrineVideo", "VitrineMapping", "CVersion", "CEmbeddedFiles", "CZlib",
            ]),

        // Examples, which the tests run.
        .executableTarget(name: "PhotosToModel", dependencies: ["Vitrine", "VitrineReconstruct"], path: "Examples/PhotosToModel"),
        .executableTarget(name: "Card", dependencies: ["Vitrine"], path: "Examples/Card"),
        .executableTarget(name: "Logo", dependencies: ["Vitrine"], path: "Examples/Logo", exclude: ["drag.json"]),
        .executableTarget(name: "Button", dependencies: ["Vitrine"], path: "Examples/Button", exclude: ["press.json"]),
        .executableTarget(
            name: "TapToPlace", dependencies: ["Vitrine", "VitrineAR", "VitrineARView", "VitrineSimulation"], path: "Examples/TapToPlace",
            exclude: ["taps.json"]
        ),
        .executableTarget(
            name: "CaptureObject", dependencies: ["VitrineCapture", "VitrineSimulation", "VitrineSamples"], path: "Examples/CaptureObject"),
        .executableTarget(name: "MadeInCode", dependencies: ["Vitrine"], path: "Examples/MadeInCode"),
        .executableTarget(name: "Gallery", dependencies: ["Vitrine"], path: "Examples/Gallery"),

        // Tests: one target for each module, and shared support.
        .target(
            name: "VitrineTestSupport", dependencies: ["VitrineScene", "VitrineFiles", "VitrineVision"], path: "Tests/VitrineTestSupport"),
        .testTarget(name: "VitrineMathTests", dependencies: ["VitrineMath"]),
        .testTarget(name: "VitrineGeometryTests", dependencies: ["VitrineGeometry"]),
        .testTarget(name: "VitrineMotionTests", dependencies: ["VitrineMotion"]),
        .testTarget(name: "VitrineSceneTests", dependencies: ["VitrineScene", "VitrineMotion", "VitrineFiles", "VitrineTestSupport"]),
        .testTarget(name: "VitrineGPUTests", dependencies: ["VitrineGPU"]),
        .testTarget(name: "VitrineRenderTests", dependencies: ["VitrineRender", "VitrineFiles", "VitrineTestSupport"]),
        .testTarget(name: "VitrineCustomPassesTests", dependencies: ["VitrineCustomPasses", "VitrineGPU", "VitrineRender"]),
        .testTarget(name: "VitrineLayersTests", dependencies: ["VitrineLayers", "VitrineFiles", "VitrineTestSupport"]),
        .testTarget(name: "VitrinePathTracerTests", dependencies: ["VitrinePathTracer"]),
        .testTarget(name: "VitrineGLTFTests", dependencies: ["VitrineGLTF", "VitrineFiles", "VitrineTestSupport"]),
        .target(name: "VitrineTestFiles", dependencies: ["VitrineScene", "VitrineImageFiles"], path: "Tests/VitrineTestFiles"),
        .testTarget(
            name: "VitrineImageFilesTests", dependencies: ["VitrineImageFiles", "VitrineFiles", "VitrineTestFiles", "VitrineTestSupport"]),
        .testTarget(name: "VitrineFilesTests", dependencies: ["VitrineFiles", "VitrineTestFiles", "VitrineTestSupport"]),
        .testTarget(name: "VitrineVisionTests", dependencies: ["VitrineVision", "VitrineFiles", "VitrineTestSupport", "CDescriptors"]),
        .testTarget(name: "VitrineDenseTests", dependencies: ["VitrineDense", "VitrineDenseGPU", "VitrineFiles", "VitrineTestSupport"]),
        .testTarget(name: "VitrineSurfaceTests", dependencies: ["VitrineSurface", "VitrineFiles", "VitrineTestSupport"]),
        .testTarget(name: "VitrineBakeTests", dependencies: ["VitrineBake"]),
        .testTarget(name: "VitrineTextureTests", dependencies: ["VitrineTexture", "VitrineFiles", "VitrineTestSupport"]),
        .testTarget(
            name: "VitrineReconstructTests", dependencies: ["VitrineReconstruct", "VitrineRender", "VitrineVideo", "VitrineTestSupport"]),
        .testTarget(name: "VitrineMappingTests", dependencies: ["VitrineMapping"]),
        .testTarget(name: "VitrineTrackingTests", dependencies: ["VitrineTracking", "VitrineMapping", "VitrineSensorSimulation", "CZlib"]),
        .testTarget(name: "VitrineSensorSimulationTests", dependencies: ["VitrineSensorSimulation"]),
        .testTarget(
            name: "VitrineARTests", dependencies: ["VitrineAR", "VitrineMapping", "VitrineVideo", "CVideoDevice", "VitrineTestSupport"]),
        .testTarget(name: "VitrineARViewTests", dependencies: ["VitrineARView", "VitrineTestSupport"]),
        .testTarget(name: "VitrineSimulationTests", dependencies: ["VitrineSimulation", "VitrineTestSupport"]),
        .testTarget(name: "VitrineCaptureTests", dependencies: ["VitrineCapture", "VitrineSimulation", "VitrineTestSupport"]),
        .testTarget(name: "VitrineCaptureViewTests", dependencies: ["VitrineCaptureView", "VitrineTestSupport"]),
        .testTarget(name: "VitrineTextTests", dependencies: ["VitrineText", "VitrineTestSupport"]),
        .testTarget(name: "VitrineStageTests", dependencies: ["VitrineStage"]),
        .testTarget(name: "VitrineWindowTests", dependencies: ["VitrineWindow", "CSDL", "VitrineTestSupport"]),
        .testTarget(name: "VitrineSamplesTests", dependencies: ["VitrineSamples", "VitrineTestSupport"]),
        .testTarget(name: "VitrineCLITests", dependencies: ["VitrineCLI", "VitrineTestSupport"]),
        .testTarget(name: "VitrineTests", dependencies: ["Vitrine", "VitrineBake", "Card", "VitrineTestSupport"]),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "VitrineFiles", "VitrineTestFiles", "VitrineText", "VitrineGPU", "VitrineLayers", "VitrineMapping", "VitrineAR",
                "VitrineReconstruct",
            ],
            path: "Fuzz", exclude: ["LibFuzzer", "README.md", "leaks.txt"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// SwiftPM compiles a target again if a target in its list of dependencies has changed, but not if a dependency of those has. Optimized code
// contains functions of indirect dependencies, so each target lists them all.
func completeDependencies(of package: Package) {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var complete: [String: [String]] = [:]
    func all(_ name: String) -> [String] {
        if let known = complete[name] { return known }
        var names: [String] = []
        for case .byNameItem(let direct, _) in targets[name]?.dependencies ?? [] {
            for dependency in [direct] + all(direct) where !names.contains(dependency) { names.append(dependency) }
        }
        complete[name] = names
        return names
    }
    for target in package.targets { target.dependencies = all(target.name).map { .byName(name: $0) } }
}
completeDependencies(of: package)

// VITRINE_QUICK=1 omits the tests of the photo modules, half of all: for builds during work on rendering. `make test` builds all.
if Context.environment["VITRINE_QUICK"] != nil {
    let leftOut = ["Vision", "Dense", "Surface", "Texture", "Reconstruct"].map { "Vitrine\($0)Tests" }
    package.targets.removeAll { leftOut.contains($0.name) }
}

// VITRINE_TESTS=Tracking,AR keeps only the tests of these modules and the modules that they need: for a fast optimized build of a few modules.
if let only = Context.environment["VITRINE_TESTS"] {
    var kept = Set<String>()
    var wanted = only.split(separator: ",").map { $0 == "Vitrine" ? "VitrineTests" : "Vitrine\($0)Tests" }
    while let name = wanted.popLast() {
        guard kept.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
        for case .byNameItem(let dependency, _) in target.dependencies { wanted.append(dependency) }
    }
    package.products = []
    package.targets.removeAll { !kept.contains($0.name) }
}

// Tests that spend their time in the modules under test, not in loops of their own, are compiled without optimization: half the time to compile.
let unoptimized = [
    "Bake", "CLI", "CaptureView", "CustomPasses", "Files", "GLTF", "GPU", "Geometry", "ImageFiles", "Layers", "Mapping", "Math", "Motion",
    "Render", "Samples", "Scene", "Simulation", "Stage", "Text", "Window", "",
].map { "Vitrine\($0)Tests" }
for target in package.targets where unoptimized.contains(target.name) { target.swiftSettings = [.unsafeFlags(["-Onone"])] }

// VITRINE_INSTALL=1 (`make install`, `make deb`): modules without long loops are optimized for size, and the command knows its commit. Other
// packages must not set it: SwiftPM refuses dependencies with such flags.
if Context.environment["VITRINE_INSTALL"] != nil {
    let small: Set = [
        "Vitrine", "VitrineAR", "VitrineARView", "VitrineCLI", "VitrineCapture", "VitrineCaptureView", "VitrineCustomPasses",
        "VitrineFiles",
        "VitrineGLTF", "VitrineGPU", "VitrineLayers", "VitrineMotion", "VitrineReconstruct", "VitrineRender", "VitrineSamples",
        "VitrineSensorSimulation", "VitrineSimulation", "VitrineStage", "VitrineText", "VitrineVideo", "VitrineWindow",
    ]
    for target in package.targets where small.contains(target.name) { target.swiftSettings = [.unsafeFlags(["-Osize"])] }
    if let commit = Context.environment["VITRINE_COMMIT"] {
        for target in package.targets where target.name == "CVersion" {
            target.cSettings = [.define("VITRINE_COMMIT", to: "\"\(commit)\"")]
        }
    }
}
