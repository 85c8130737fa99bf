// swift-tools-version: 6.1
import PackageDescription

// Measurements inside the process. A package of its own, so that the library carries no benchmark; Benchmarks/run.sh builds and runs it.
let package = Package(
    name: "VitrineBenchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "vitrine-measure", targets: ["VitrineMeasure"]), .executable(name: "vitrine-stages", targets: ["VitrineStages"]),
        .executable(name: "vitrine-hitch", targets: ["VitrineHitch"]), .executable(name: "vitrine-rays", targets: ["VitrineRays"]),
    ],
    dependencies: [.package(name: "Vitrine", path: "..")],
    targets: [
        .executableTarget(
            name: "VitrineMeasure",
            dependencies: [.product(name: "Vitrine", package: "Vitrine"), .product(name: "VitrineGPU", package: "Vitrine")]),
        .executableTarget(name: "VitrineRays", dependencies: [.product(name: "Vitrine", package: "Vitrine")]),
        .executableTarget(name: "VitrineHitch", dependencies: [.product(name: "Vitrine", package: "Vitrine")]),
        .executableTarget(name: "VitrineStages", dependencies: [.product(name: "VitrineReconstruct", package: "Vitrine")]),
    ],
    swiftLanguageModes: [.v6]
)
