import VitrineMath

/// A vector type that springs and keyframes can animate.
public protocol VectorArithmetic: Animatable where Tangent == Self {
    /// The vector with every component 0.
    static var zero: Self { get }
    /// Returns the componentwise sum.
    static func + (a: Self, b: Self) -> Self
    /// Returns the componentwise difference.
    static func - (a: Self, b: Self) -> Self
    /// Returns the vector with every component multiplied by `factor`.
    func scaled(by factor: Double) -> Self
    /// The sum of the squared components.
    var magnitudeSquared: Double { get }
}

extension VectorArithmetic {
    /// Returns the difference `self - origin`.
    public func offset(from origin: Self) -> Self { self - origin }
    /// Returns the sum `self + offset`.
    public func moved(by offset: Self) -> Self { self + offset }
}

extension Float: VectorArithmetic {
    /// Returns the product with `factor`, rounded to single precision.
    @inlinable public func scaled(by factor: Double) -> Float { Float(Double(self) * factor) }
    /// The square, computed in double precision.
    @inlinable public var magnitudeSquared: Double { Double(self) * Double(self) }
}

extension Double: VectorArithmetic {
    /// Returns the product with `factor`.
    @inlinable public func scaled(by factor: Double) -> Double { self * factor }
    /// The square of the value.
    @inlinable public var magnitudeSquared: Double { self * self }
}

extension SIMD2: Animatable, VectorArithmetic where Scalar == Float {
    /// Returns the product with `factor`, rounded to single precision.
    @inlinable public func scaled(by factor: Double) -> Self { self * Float(factor) }
    /// The squared length.
    @inlinable public var magnitudeSquared: Double { Double(lengthSquared(self)) }
}

extension SIMD3: Animatable, VectorArithmetic where Scalar == Float {
    /// Returns the product with `factor`, rounded to single precision.
    @inlinable public func scaled(by factor: Double) -> Self { self * Float(factor) }
    /// The squared length.
    @inlinable public var magnitudeSquared: Double { Double(lengthSquared(self)) }
}

extension SIMD4: Animatable, VectorArithmetic where Scalar == Float {
    /// Returns the product with `factor`, rounded to single precision.
    @inlinable public func scaled(by factor: Double) -> Self { self * Float(factor) }
    /// The squared length.
    @inlinable public var magnitudeSquared: Double { Double(lengthSquared(self)) }
}

extension Angle: VectorArithmetic {
    /// Returns the product with `factor`.
    public func scaled(by factor: Double) -> Angle { Angle(radians: radians.scaled(by: factor)) }
    /// The square of the angle in radians.
    public var magnitudeSquared: Double { radians.magnitudeSquared }
}
